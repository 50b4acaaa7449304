"""Reads exported CSV, GeoJSON and FCLIB files with Python's own readers and compares them with the run file.

Usage: read_tables.py RUN.h5 CSV_FOLDER FCLIB_FOLDER [GEOJSON_FOLDER].  Exit code 77: a package is missing.
"""
import csv
import json
import pathlib
import sys

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing} (python3-h5py is needed)")
    sys.exit(77)


def table(path):
    raw = pathlib.Path(path).read_bytes()
    assert raw.count(b"\n") == raw.count(b"\r\n"), f"{path}: lines must end in CR LF"
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file, strict=True))
    assert all(len(row) == len(rows[0]) for row in rows), f"{path}: rows of different lengths"
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}


def numbers(column):
    return np.array([float(text) for text in column])


def check_csv(run, folder):
    frames, contacts, steps = run["frames"], run["contacts"], run["steps"]
    n, b = frames["active"].shape
    dimension = int(run["run/dimension"][()])
    motion = table(f"{folder}/motion.csv")
    names = ["x [m]", "y [m]", "z [m]"][:dimension]
    place = np.stack([numbers(motion[name]) for name in names], axis=1)
    assert np.array_equal(place, frames["position"][:].reshape(n * b, dimension)), "positions, bit for bit"
    velocity = np.stack([numbers(motion[f"velocity_{axis} [m/s]"]) for axis in "xyz"[:dimension]], axis=1)
    assert np.array_equal(velocity, frames["velocity"][:].reshape(n * b, dimension))
    assert np.array_equal(numbers(motion["time [s]"]), np.repeat(frames["time"][:], b))
    assert np.array_equal(numbers(motion["active"]), frames["active"][:].ravel())
    touching = table(f"{folder}/contacts.csv")
    assert len(touching["gap [m]"]) == len(contacts["gap"])
    for name, column in (("gap [m]", contacts["gap"]), ("normal_impulse [N s]", contacts["normal_impulse"]),
                         ("body_a", contacts["body_a"]), ("body_b", contacts["body_b"])):
        assert np.array_equal(numbers(touching[name]), column[:]), name
    words = np.array(["open", "stick", "slip"])[contacts["status"][:]]
    assert list(words) == touching["status"]
    recorded = table(f"{folder}/steps.csv")
    for name, values in recorded.items():
        column, _, unit = name.partition(" [")
        assert np.array_equal(numbers(values), steps[column][:]), name
        assert unit.rstrip("]") == ("" if steps[column].attrs["unit"] in ("1", b"1") else
                                    bytes(steps[column].attrs["unit"]).decode()
                                    if isinstance(steps[column].attrs["unit"], bytes) else steps[column].attrs["unit"])
    bodies = table(f"{folder}/bodies.csv")
    assert len(bodies["name"]) == b


def ring_area(ring):
    p = np.array(ring)
    assert np.array_equal(p[0], p[-1]), "a ring is closed"
    return 0.5 * np.sum(p[:-1, 0] * p[1:, 1] - p[1:, 0] * p[:-1, 1])


def check_geojson(run, folder):
    frames = run["frames"]
    for f, path in enumerate(sorted(pathlib.Path(folder).glob("*.geojson"))):
        page = json.loads(path.read_text(encoding="utf-8"))
        assert page["type"] == "FeatureCollection" and page["time"] == frames["time"][f]
        for feature in page["features"]:
            body, said = feature["id"], feature["properties"]
            assert [said["x"], said["y"]] == list(frames["position"][f][body])
            assert said["angle"] == frames["rotation"][f][body]
            if feature["geometry"]["type"] == "Polygon":
                (ring,) = feature["geometry"]["coordinates"]
                area = ring_area(ring)
                assert area > 0, "outer rings are counter-clockwise"
                if said["shape"] == "polygon" and said["kind"] == "free":
                    density = said["mass"] / area
                    assert abs(density - 2400) < 1e-6 * 2400, f"mass over area is the density, not {density}"
            elif feature["geometry"]["type"] == "MultiPolygon":
                assert all(ring_area(part[0]) > 0 for part in feature["geometry"]["coordinates"])


def check_fclib(run, folder):
    paths = sorted(pathlib.Path(folder).glob("*.hdf5"))
    assert paths
    for path in paths:
        step = int(path.stem.split("-")[1])
        with h5py.File(path, "r") as problem:
            local = problem["fclib_local"]
            size, dimension = int(local["W/m"][0]), int(local["spacedim"][0])
            assert size == dimension * run["steps/contacts"][step - 1], "as many contacts as the step had"
            assert local["vectors/q"].shape == (size,)
            assert len(local["vectors/mu"]) == size // dimension
            assert len(problem["solution/r"]) == size, "with the solution that the run found"


with h5py.File(sys.argv[1], "r") as opened:
    check_csv(opened, sys.argv[2])
    check_fclib(opened, sys.argv[3])
    if len(sys.argv) > 4:
        check_geojson(opened, sys.argv[4])
print("tables agree with the run")
