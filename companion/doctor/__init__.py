"""WHAT IS WRONG: looks at the machine, its devices and the settings, and says what to do about each finding."""
