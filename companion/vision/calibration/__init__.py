"""Where the camera stands over the table: lens, marks, fitting, drift, and whether a picture will do."""
