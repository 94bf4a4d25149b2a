"""Path-traced photographs of cards, by Blender's `bpy`: light, gloss, depth and shadows that drawings lack."""
