"""Reads an exported VTK folder with VTK's own reader and compares it with the run file, read with h5py.

Usage: read_vtk.py RUN.h5 FOLDER.  Exit code 77: a package is missing.
"""
import sys
import xml.etree.ElementTree as xml

try:
    import h5py
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
except ImportError as missing:
    print(f"skipped: {missing} (python3-vtk9 and python3-h5py are needed)")
    sys.exit(77)


def read(path):
    errors = []
    reader = vtkXMLPolyDataReader()
    reader.AddObserver("ErrorEvent", lambda *_: errors.append(path))
    reader.SetFileName(path)
    reader.Update()
    assert not errors, f"{path}: VTK reports an error"
    return reader.GetOutput()


def array(data, name):
    found = data.GetArray(name)
    assert found is not None, f"no array {name}"
    return vtk_to_numpy(found)


def entries(folder, name):
    root = xml.parse(f"{folder}/{name}.pvd").getroot()
    assert root.get("type") == "Collection"
    return [(float(e.get("timestep")), f"{folder}/{e.get('file')}") for e in root.iter("DataSet")]


def rotate(q, v):
    w, u = q[:, :1], q[:, 1:]
    return v + 2 * np.cross(u, np.cross(u, v) + w * v)


def spin_in_space(frames, f, dimension):
    spin = frames["spin"][f]
    if dimension == 2:
        return np.stack([0 * spin, 0 * spin, spin], axis=1)
    return rotate(frames["rotation"][f], spin)


def widen(values):
    return np.hstack([values, np.zeros((len(values), 3 - values.shape[1]))])


def main(run, folder):
    with h5py.File(run, "r") as file:
        frames, contacts = file["frames"], file["contacts"]
        dimension = int(file["run/dimension"][()])
        times = frames["time"][:]
        step = float(file["run/time_step"][()])
        centres = entries(folder, "centres")
        assert [t for t, _ in centres] == list(times), "times of the collection"
        for f, (time, path) in enumerate(centres):
            data = read(path)
            assert array(data.GetFieldData(), "TimeValue")[0] == time
            points = data.GetPointData()
            assert np.array_equal(vtk_to_numpy(data.GetPoints().GetData()), widen(frames["position"][f]))
            assert np.array_equal(array(points, "velocity"), widen(frames["velocity"][f]))
            assert np.array_equal(array(points, "rotation"), frames["rotation"][f])
            assert np.array_equal(array(points, "active"), frames["active"][f])
            assert np.array_equal(array(points, "body"), np.arange(data.GetNumberOfPoints()))
            assert np.allclose(array(points, "spin"), spin_in_space(frames, f, dimension), rtol=1e-13, atol=1e-13)
            names = points.GetAbstractArray("name")
            assert names is None or names.GetNumberOfValues() == data.GetNumberOfPoints()
        for f, (time, path) in enumerate(entries(folder, "contacts")):
            data = read(path)
            rows = slice(frames["contact_start"][f], frames["contact_start"][f] + frames["contact_count"][f])
            assert data.GetNumberOfPoints() == frames["contact_count"][f] == data.GetNumberOfVerts()
            if data.GetNumberOfPoints() == 0:
                continue
            points = data.GetPointData()
            assert np.array_equal(vtk_to_numpy(data.GetPoints().GetData()), contacts["position"][rows])
            for name in ("normal", "impulse", "velocity", "gap", "normal_impulse", "status", "body_a", "body_b"):
                assert np.array_equal(array(points, name), contacts[name][rows]), name
            assert np.allclose(array(points, "force") * step, contacts["impulse"][rows], rtol=1e-12, atol=0)
        for f, (time, path) in enumerate(entries(folder, "bodies")):
            data = read(path)
            cells, kind = data.GetCellData(), array(read(centres[f][1]).GetPointData(), "kind")
            body = array(cells, "body")
            assert len(body) == data.GetNumberOfCells()
            shown = np.flatnonzero((frames["active"][f] == 1) & (kind == 0))
            assert np.array_equal(np.unique(body), shown), "each active free body has a surface, and no other"
            velocity = widen(frames["velocity"][f])[body].astype("f4")
            assert np.array_equal(array(cells, "velocity"), velocity)
            # Every cell lies around the centre of its body, no farther than the body reaches.
            place = widen(frames["position"][f])
            for c in range(0, len(body), max(1, len(body) // 50)):
                corners = np.array([data.GetPoint(data.GetCell(c).GetPointId(i))
                                    for i in range(data.GetCell(c).GetNumberOfPoints())])
                far = np.linalg.norm(corners - place[body[c]], axis=1).max()
                assert far < 1.0, f"cell {c} of frame {f} is {far} m from its body"
        print(f"{len(times)} frames agree with the run")


main(*sys.argv[1:3])
