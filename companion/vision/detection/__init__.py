"""Where cards lie on a picture, whatever is printed on them."""
