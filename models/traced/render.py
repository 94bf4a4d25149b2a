"""Renders scenes that `scenes` describes by path tracing, in a Python that has Blender's `bpy` (a wheel of its own).

    pip install bpy && python models/traced/render.py DIR/*.scene.json

Beside each description come the picture (``.png``), which card each pixel shows (``.owner.png``, 0 for none, from 1 in
their order, 255 for a thing), and the cards' corners in pixels (``.corners.json``). What is there already is left.
"""

import json
import math
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy_extras.object_utils import world_to_camera_view
from mathutils import Vector

MM = 0.001
TABLE_M = 3.0
"""Half the side of the table."""
THING = 255
_PAPER = (0.75, 0.73, 0.68)


def painted(path: str, rough: float, *, bump: float = 0.0, coat: float = 0.0) -> Any:
    """A surface that shows a picture."""
    material = bpy.data.materials.new(path)
    material.use_nodes = True
    tree, shader = material.node_tree, material.node_tree.nodes["Principled BSDF"]
    image = tree.nodes.new("ShaderNodeTexImage")
    image.image = bpy.data.images.load(path, check_existing=True)
    tree.links.new(image.outputs["Color"], shader.inputs["Base Color"])
    shader.inputs["Roughness"].default_value = rough
    if coat:
        shader.inputs["Coat Weight"].default_value, shader.inputs["Coat Roughness"].default_value = coat, 0.15
    if bump:
        noise, raised = tree.nodes.new("ShaderNodeTexNoise"), tree.nodes.new("ShaderNodeBump")
        noise.inputs["Scale"].default_value, raised.inputs["Strength"].default_value = 900.0, bump
        tree.links.new(noise.outputs["Fac"], raised.inputs["Height"])
        tree.links.new(raised.outputs["Normal"], shader.inputs["Normal"])
    return material


def plain(rgb: Any, rough: float = 0.6) -> Any:
    """A surface of one colour."""
    material = bpy.data.materials.new("plain")
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value, shader.inputs["Roughness"].default_value = (*rgb, 1), rough
    return material


def glowing(number: int) -> Any:
    """A surface whose pixels have that value."""
    material = bpy.data.materials.new("owner")
    material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    light, out = tree.nodes.new("ShaderNodeEmission"), tree.nodes.new("ShaderNodeOutputMaterial")
    light.inputs["Color"].default_value = (number / 255, 0, 0, 1)
    tree.links.new(light.outputs[0], out.inputs["Surface"])
    return material


def repaint(thing: Any, material: Any) -> None:
    """Make all of an object of one material."""
    thing.data.materials.clear()
    thing.data.materials.append(material)
    for face in getattr(thing.data, "polygons", ()):
        face.material_index = 0


def on_table(card: dict[str, Any], points: Any) -> Any:
    """Points (N, 2) of a card's own frame where they lie, in mm."""
    a = math.radians(card["turn"])
    turn = np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])
    return np.asarray(points, float) @ turn + card["at"]


def add_card(card: dict[str, Any]) -> Any:
    """A prism with the face on top."""
    own = np.asarray(card["outline"], float)
    at, count = on_table(card, own), len(own)
    low, high = card["z"] * MM, (card["z"] + card["thick"]) * MM
    points = [(x * MM, -y * MM, z) for z in (high, low) for x, y in at]
    sides = [[k, (k + 1) % count, count + (k + 1) % count, count + k] for k in range(count)]
    mesh = bpy.data.meshes.new("card")
    mesh.from_pydata(points, [], [list(range(count))[::-1], list(range(count, 2 * count)), *sides])
    shown = mesh.uv_layers.new()
    for index in mesh.polygons[0].loop_indices:
        x, y = own[mesh.loops[index].vertex_index]
        shown.data[index].uv = (x / card["size"][0] + 0.5, 0.5 - y / card["size"][1])
    found = add("card", mesh)
    mesh.materials.append(painted(card["texture"], card["rough"], coat=card["coat"]))
    mesh.materials.append(plain(_PAPER))
    for face in mesh.polygons:
        face.material_index = int(face.index > 0)
    return found


def add(name: str, data: Any) -> Any:
    """An object of the scene."""
    found = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(found)
    return found


def add_table(table: dict[str, Any]) -> Any:
    """The table, its picture again and again."""
    mesh = bpy.data.meshes.new("table")
    ends = [(-TABLE_M, -TABLE_M, 0), (TABLE_M, -TABLE_M, 0), (TABLE_M, TABLE_M, 0), (-TABLE_M, TABLE_M, 0)]
    mesh.from_pydata(ends, [], [[0, 1, 2, 3]])
    shown, often, a = mesh.uv_layers.new(), 2 * TABLE_M / table["side_m"], math.radians(table["turn"])
    for index, (u, v) in zip(mesh.polygons[0].loop_indices, ((0, 0), (1, 0), (1, 1), (0, 1)), strict=True):
        x, y = u * often, v * often
        shown.data[index].uv = (x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a))
    mesh.materials.append(painted(table["texture"], table["rough"], bump=table["bump"]))
    return add("table", mesh)


def add_thing(thing: dict[str, Any]) -> Any:
    """A cup, chip, box, pen or hand."""
    if "balls" in thing:
        balls = bpy.data.metaballs.new(thing["kind"])  # balls of one name melt into each other
        balls.resolution, balls.render_resolution = 0.004, 0.003
        for x, y, z, radius in thing["balls"]:
            ball = balls.elements.new()
            ball.co, ball.radius = (x * MM, -y * MM, z * MM), radius * MM * 1.6
        found = add(thing["kind"], balls)
    else:
        x, y, radius, high = thing["at"][0] * MM, -thing["at"][1] * MM, thing["radius"] * MM, thing["high"] * MM
        if thing["kind"] == "box":
            bpy.ops.mesh.primitive_cube_add(size=1, location=(x, y, high / 2), rotation=(0, 0, thing["turn"]))
            bpy.context.object.scale = (radius, thing["deep"] * MM, high)
        elif thing["kind"] == "pen":
            lies = {"location": (x, y, radius), "rotation": (math.pi / 2, 0, thing["turn"])}
            bpy.ops.mesh.primitive_cylinder_add(vertices=24, radius=radius, depth=high, **lies)
        else:
            bpy.ops.mesh.primitive_cylinder_add(vertices=64, radius=radius, depth=high, location=(x, y, high / 2))
        found = bpy.context.object
    repaint(found, plain(thing["rgb"], 0.3 if thing["kind"] == "cup" else 0.5))
    return found


def add_camera(scene: Any, seen: dict[str, Any]) -> Any:
    """The camera, the table's x to its right, then rolled."""
    data = bpy.data.cameras.new("camera")
    camera = add("camera", data)
    scene.camera = camera
    data.angle, data.clip_start = math.radians(seen["view_deg"]), 0.01
    at, to = Vector(seen["at"]), Vector(seen["to"])
    camera.location, camera.rotation_euler = at, (to - at).to_track_quat("-Z", "Y").to_euler()
    bpy.context.view_layer.update()
    ends = [world_to_camera_view(scene, camera, to + Vector((x, 0, 0))) for x in (0.0, 0.01)]
    width, height = scene.render.resolution_x, scene.render.resolution_y
    roll = math.atan2((ends[0].y - ends[1].y) * height, (ends[1].x - ends[0].x) * width)
    camera.rotation_euler.rotate_axis("Z", math.radians(seen["roll"]) - roll)
    if seen["f_stop"]:
        data.dof.use_dof, data.dof.aperture_fstop = True, seen["f_stop"]
        data.dof.focus_distance = (to - at).length * seen["focus"]
    bpy.context.view_layer.update()
    return camera


def add_light(scene: Any, told: dict[str, Any]) -> None:
    """The room's light and the lamps."""
    scene.world = bpy.data.worlds.new("room")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (*told["ambient"], 1)
    for lamp in told["lamps"]:
        data = bpy.data.lights.new("lamp", lamp["kind"])
        data.energy, data.color = lamp["power"], lamp["rgb"]
        if lamp["kind"] == "AREA":
            data.size = lamp["size"]
        else:
            data.shadow_soft_size = lamp["size"]
        found = add("lamp", data)
        found.location = lamp["at"]
        found.rotation_euler = (-Vector(lamp["at"])).to_track_quat("-Z", "Y").to_euler()


def prepare(told: dict[str, Any]) -> Any:
    """An empty scene and how it is rendered: few paths, denoised."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.device = "CYCLES", "CPU"
    scene.render.threads_mode, scene.render.threads = "FIXED", 1
    (scene.render.resolution_x, scene.render.resolution_y), scene.render.resolution_percentage = told["size"], 100
    scene.render.image_settings.file_format = "PNG"
    cycles = scene.cycles
    cycles.samples, cycles.use_adaptive_sampling, cycles.adaptive_threshold = told["samples"], True, 0.1
    cycles.use_denoising, cycles.denoiser = True, "OPENIMAGEDENOISE"
    cycles.denoising_prefilter = cycles.denoising_quality = "FAST"
    cycles.denoising_input_passes = "RGB_ALBEDO"
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces = 2, 1, 1
    scene.view_settings.view_transform, scene.view_settings.exposure = told["view"], told["exposure"]
    return scene


def render(path: Path) -> None:
    """Render one description."""
    told = json.loads(path.read_text())
    stem = str(path.absolute()).removesuffix(".scene.json")  # Blender takes other names to be beside its own file
    scene = prepare(told)
    table, cards = add_table(told["table"]), [add_card(card) for card in told["cards"]]
    things = [add_thing(thing) for thing in told["things"]]
    add_light(scene, told)
    camera = add_camera(scene, told["camera"])
    corners = []
    for card in told["cards"]:
        top = (card["z"] + card["thick"]) * MM
        seen = [
            world_to_camera_view(scene, camera, Vector((x * MM, -y * MM, top)))
            for x, y in on_table(card, card["corners"])
        ]
        corners.append([[one.x * told["size"][0], (1 - one.y) * told["size"][1]] for one in seen])
    scene.render.filepath = stem + ".png"
    bpy.ops.render.render(write_still=True)
    if told.get("has_owner", True):
        render_owner(scene, camera, stem, table, cards, things)
    Path(stem + ".corners.json").write_text(json.dumps(corners))


def render_owner(scene: Any, camera: Any, stem: str, table: Any, cards: Any, things: Any) -> None:
    """Render which card each pixel shows."""
    for number, thing in ((0, table), *enumerate(cards, 1), *((THING, thing) for thing in things)):
        repaint(thing, glowing(number))
    cycles = scene.cycles
    cycles.samples, cycles.use_denoising, cycles.use_adaptive_sampling, cycles.max_bounces = 1, False, False, 0
    cycles.pixel_filter_type, cycles.filter_width = "BOX", 0.01
    scene.view_settings.view_transform, scene.view_settings.exposure = "Raw", 0
    scene.render.dither_intensity, camera.data.dof.use_dof = 0, False
    scene.render.filepath = stem + ".owner.png"
    bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        if not Path(name.removesuffix(".scene.json") + ".corners.json").exists():
            render(Path(name))
