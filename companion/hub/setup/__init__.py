"""What a hall needs before its first evening: passwords, certificates, the broker's configuration."""
