// All bodies on the GPU. Shapes that very many bodies share are drawn as instances, the rest in one merged buffer; either way a
// vertex knows the number of its body and finds pose and colour in textures.
import * as THREE from "three";
import { Grounds, type Ground } from "./ground";
import type { Frame, Model } from "./run";
import * as S from "./shapes";
import * as G from "./shaders";
import { Splats, type Rounds } from "./splats";
import type { Pass } from "./stage";

export interface Shared {
    [name: string]: THREE.IUniform;
}

const CROWD = 30000; // vertices: with more, and without a GPU, only what can be seen is drawn
const MERGE_BELOW = 500000; // vertices: shapes that take fewer in all are merged, the others drawn as instances

export function newShared(): Shared {
    return {
        pass: { value: 0 }, viewport: { value: new THREE.Vector2(1, 1) }, image: { value: new THREE.Vector3() },
        placeMap: { value: null }, turnMap: { value: null }, tintMap: { value: null }, selected: { value: -1 },
        accent: { value: new THREE.Vector3() }, cut: { value: new THREE.Vector4() }, up: { value: new THREE.Vector3(0, 0, 1) },
        lightDirection: { value: new THREE.Vector3(0, 0, 1) }, edge: { value: new THREE.Vector3() }, ink: { value: new THREE.Vector3() }, paper: { value: new THREE.Vector3() },
        opacity: { value: 1 }, lit: { value: 0 }, shadowMatrix: { value: new THREE.Matrix4() }, shadowMap: { value: null },
        shadows: { value: 0 }, eye: { value: new THREE.Vector3() }, cameraWorld: { value: new THREE.Matrix4() }, mark: { value: 1 },
        rims: { value: 1 }, middle: { value: new THREE.Vector3() }, reach: { value: 1 }, boxLow: { value: new THREE.Vector3() }, boxHigh: { value: new THREE.Vector3() }, grid: { value: 1 },
    };
}

export function material(shared: Shared, vertex: string, fragment: string, three: boolean, own: Shared = {}): THREE.RawShaderMaterial {
    return new THREE.RawShaderMaterial({
        glslVersion: THREE.GLSL3, vertexShader: vertex, fragmentShader: fragment, uniforms: { ...shared, ...own },
        transparent: true, depthTest: three, depthWrite: three,
    });
}

const floats = (a: ArrayLike<number>, n: number) => new THREE.BufferAttribute(a instanceof Float32Array ? a : new Float32Array(a), n);

export function soupGeometry(soup: S.Soup, geometry: THREE.BufferGeometry): void {
    geometry.setAttribute("position", floats(soup.position, 3));
    geometry.setAttribute("normal", floats(soup.normal, 3));
    geometry.setAttribute("rim", floats(soup.rim, 3));
}

const SQUARE = [0, 1, 2, 0, 2, 3]; // corners of its two triangles

/** Indices of `count` squares of four vertices each. Plain vertices, not instances: many small instances are slow on most
 *  GPUs, and very slow in software. */
export function squareIndices(count: number): Uint32Array {
    const index = new Uint32Array(6 * count);
    for (let i = 0; i < 6 * count; i++) index[i] = 4 * Math.floor(i / 6) + SQUARE[i % 6];
    return index;
}

/** Numbers of each item, `n` of them, repeated for all corners of what it is drawn as. */
function repeated<T extends Float32Array | Int32Array>(items: ArrayLike<number>, n: number, corners: number, make: (length: number) => T): T {
    const out = make(corners * items.length);
    for (let i = 0; i < items.length / n; i++) for (let c = 0; c < corners; c++) for (let k = 0; k < n; k++) out[n * (corners * i + c) + k] = items[n * i + k];
    return out;
}

interface Instances {
    body: number[];
    place: number[];
    turn: number[];
    size: number[];
}
const newInstances = (): Instances => ({ body: [], place: [], turn: [], size: [] });

function setInstances(g: THREE.InstancedBufferGeometry, list: Instances): void {
    const add = (name: string, a: Float32Array | Int32Array, n: number) => g.setAttribute(name, new THREE.InstancedBufferAttribute(a, n));
    add("body", new Int32Array(list.body), 1);
    add("place", new Float32Array(list.place), 3);
    if (list.turn.length) add("turn", new Float32Array(list.turn), 4);
    if (list.size.length) add("size", new Float32Array(list.size), 4);
    g.instanceCount = list.body.length;
}

export class Bodies {
    readonly group = new THREE.Group();
    readonly tint: Uint8Array;
    private readonly place: Float32Array;
    private readonly turn: Float32Array;
    private readonly textures: THREE.DataTexture[];
    private readonly cuttable: THREE.Material[] = [];
    private balls: { large: THREE.Mesh; small: THREE.Points | null; list: Instances; radii: number[]; largest: number } | null = null;
    private own: { splats: Splats; rounds: Rounds } | null = null;
    private merged: { geometry: THREE.BufferGeometry; body: Int32Array; start: Int32Array } | null = null;
    private readonly grounds: Ground[] = [];
    private readonly instanced: { geometry: THREE.InstancedBufferGeometry; list: Instances; vertices: number }[] = [];
    private crowd = 0; // vertices of other shapes than balls
    private readonly inner: Float32Array; // radius of a ball about the origin inside each body, where it is one convex shape
    private readonly sortedFrom = new THREE.Vector3(Infinity, 0, 0);
    readonly thinWalls: { body: number; from: number[]; to: number[]; radius: number }[] = [];

    /** `size` of everything, `radius` of a typical body, m. */
    constructor(readonly model: Model, private readonly shared: Shared, size: number, private readonly radius: number) {
        const width = Math.max(1, Math.ceil(Math.sqrt(model.bodies))), height = Math.max(1, Math.ceil(model.bodies / width)), n = width * height;
        this.place = new Float32Array(4 * n);
        this.turn = new Float32Array(4 * n);
        this.tint = new Uint8Array(4 * n).fill(255);
        this.inner = new Float32Array(model.bodies).fill(-1);
        this.textures = [
            new THREE.DataTexture(this.place, width, height, THREE.RGBAFormat, THREE.FloatType),
            new THREE.DataTexture(this.turn, width, height, THREE.RGBAFormat, THREE.FloatType),
            new THREE.DataTexture(this.tint, width, height, THREE.RGBAFormat, THREE.UnsignedByteType),
        ];
        shared.placeMap.value = this.textures[0];
        shared.turnMap.value = this.textures[1];
        shared.tintMap.value = this.textures[2];
        this.build(size);
    }

    /** Sort all shapes into brushes. */
    private build(size: number): void {
        const m = this.model, three = m.dimension === 3;
        const balls = newInstances(), radii: number[] = [], classes = new Map<string, { soup: () => S.Soup; list: Instances; shapes: number[] }>();
        const merged: { soup: S.Soup; body: number; shell: boolean }[] = [], grounds: number[] = [];
        const join = (key: string, soup: () => S.Soup, s: number, sizes: number[]) => {
            let c = classes.get(key);
            if (!c) classes.set(key, (c = { soup, list: newInstances(), shapes: [] }));
            c.list.body.push(m.shapeBody[s]);
            c.list.place.push(...m.shapePosition.subarray(3 * s, 3 * s + 3));
            const q = m.shapeRotation.subarray(4 * s, 4 * s + 4);
            c.list.turn.push(q[1], q[2], q[3], q[0]);
            c.list.size.push(...sizes);
            c.shapes.push(s);
        };
        for (let s = 0; s < m.shapeCount; s++) {
            const body = m.shapeBody[s], [radius, top, hx, hy, hz] = m.shapeSize.subarray(5 * s, 5 * s + 5);
            const vertices = m.vertices.subarray(3 * m.vertexStart[s], 3 * m.vertexStart[s + 1]);
            const q = m.shapeRotation.subarray(4 * s, 4 * s + 4), at = m.shapePosition.subarray(3 * s, 3 * s + 3);
            const keep = (soup: S.Soup, shell = false) => merged.push({ soup: S.placed(soup, q, at), body, shell });
            switch (m.shapeKinds[m.shapeKind[s]]) {
                case "disc":
                case "sphere":
                    balls.body.push(body);
                    balls.place.push(...at);
                    radii.push(radius);
                    break;
                case "polygon": join(`p${radius}:${vertices.join()}`, () => this.polygon(vertices, radius), s, [1, 1, 1, 0]); break;
                case "box": join("box", S.boxSoup, s, [hx, hy, hz, 0]); break;
                case "cylinder": join("cylinder", S.cylinderSoup, s, [radius, radius, hz, 0]); break;
                case "capsule": join("capsule", S.capsuleSoup, s, [radius, radius, radius, hz]); break;
                case "polyhedron": {
                    const indices = m.indices.subarray(m.indexStart[s], m.indexStart[s + 1]);
                    join(`h${vertices.join()}`, () => S.facetSoup(vertices, indices), s, [1, 1, 1, 0]);
                    break;
                }
                case "mesh": keep(S.facetSoup(vertices, m.indices.subarray(m.indexStart[s], m.indexStart[s + 1])), true); break;
                case "tube": keep(S.frustumSoup(radius, radius, hz, 96), true); break;
                case "funnel": keep(S.frustumSoup(radius, top, hz, 96), true); break;
                case "ring": keep(S.ringSoup(radius, Math.min(0.06 * radius, 0.05 * size))); this.spokes(s, radius, size); break;
                case "chain": {
                    const soup = S.placed({ position: Array.from(vertices), normal: Array.from(vertices), rim: [], cap: [] }, q, at);
                    for (let i = 3; i < vertices.length; i += 3)
                        this.thinWalls.push({ body, from: soup.position.slice(i - 3, i), to: soup.position.slice(i, i + 3), radius });
                    break;
                }
                case "half-plane":
                case "plane": grounds.push(s); break;
                default: break; // a shape that this page does not know
            }
        }
        for (const c of classes.values()) {
            const soup = c.soup(), inside = this.insideOf(soup);
            c.list.body.forEach((b, i) => {
                const k = c.list.size.slice(4 * i, 4 * i + 3), off = c.list.place.slice(3 * i, 3 * i + 3).some((x) => x !== 0);
                this.inner[b] = this.inner[b] < 0 && !off ? inside * Math.min(...k) : 0;
            });
            if (c.shapes.length * soup.cap.length > MERGE_BELOW) {
                this.addInstanced(soup, c.list, three);
                continue;
            }
            c.shapes.forEach((s, i) =>
                merged.push({ soup: S.placed(S.sized(soup, c.list.size.slice(4 * i, 4 * i + 4)), m.shapeRotation.subarray(4 * s, 4 * s + 4), m.shapePosition.subarray(3 * s, 3 * s + 3)), body: m.shapeBody[s], shell: false }));
        }
        this.addMerged(merged.filter((x) => !x.shell), three, false);
        this.addMerged(merged.filter((x) => x.shell), three, true);
        if (balls.body.length) this.addBalls(balls, radii, three);
        for (const s of grounds) this.addGround(s, three, size);
    }

    /** Radius of a ball about the origin inside a convex shape. */
    private insideOf(soup: S.Soup): number {
        let r = Infinity;
        for (let i = 0; i < soup.position.length; i += 3) r = Math.min(r, soup.position[i] * soup.normal[i] + soup.position[i + 1] * soup.normal[i + 1] + soup.position[i + 2] * soup.normal[i + 2]);
        return Math.max(0, Math.min(r, 1e30));
    }

    private polygon(vertices: Float32Array, radius: number): S.Soup {
        const points: THREE.Vector2[] = [];
        for (let i = 0; i < vertices.length; i += 3) points.push(new THREE.Vector2(vertices[i], vertices[i + 1]));
        return S.polygonSoup(points, radius);
    }

    /** Marks in the rim of a ring show how far it has turned. */
    private spokes(s: number, radius: number, size: number): void {
        const m = this.model, at = m.shapePosition.subarray(3 * s, 3 * s + 3), band = Math.min(0.06 * radius, 0.05 * size);
        if (m.kind[m.shapeBody[s]] === 1) return;
        for (let i = 0; i < 12; i++) {
            const a = (i * Math.PI) / 6, r = radius + (i ? 0.5 : 0) * band, R = radius + band;
            this.thinWalls.push({ body: m.shapeBody[s], from: [at[0] + r * Math.cos(a), at[1] + r * Math.sin(a), 0], to: [at[0] + R * Math.cos(a), at[1] + R * Math.sin(a), 0], radius: 0 });
        }
    }

    private add(geometry: THREE.BufferGeometry, mat: THREE.RawShaderMaterial, order: number, cuttable = true): THREE.Mesh {
        const mesh = new THREE.Mesh(geometry, mat);
        mesh.frustumCulled = false;
        mesh.renderOrder = order;
        this.group.add(mesh);
        if (cuttable) this.cuttable.push(mat);
        return mesh;
    }

    private addInstanced(soup: S.Soup, list: Instances, three: boolean): void {
        const g = new THREE.InstancedBufferGeometry();
        soupGeometry(soup, g);
        g.setAttribute("cap", floats(soup.cap, 1));
        setInstances(g, list);
        this.instanced.push({ geometry: g, list, vertices: soup.cap.length });
        this.crowd += soup.cap.length * list.body.length;
        this.add(g, material(this.shared, G.solidVertex(false), G.solidFragment, three), 2);
    }

    private addMerged(list: { soup: S.Soup; body: number }[], three: boolean, shell: boolean): void {
        let count = 0;
        for (const x of list) count += x.soup.cap.length;
        if (!count) return;
        const position = new Float32Array(3 * count), normal = new Float32Array(3 * count), rim = new Float32Array(3 * count), body = new Int32Array(count);
        const itemBody = new Int32Array(list.length), itemStart = new Int32Array(list.length + 1);
        let at = 0, item = 0;
        // Obstacles lie under the bodies in the plane.
        for (const x of [...list].sort((a, b) => Number(this.model.kind[a.body] === 0) - Number(this.model.kind[b.body] === 0))) {
            position.set(x.soup.position, 3 * at);
            normal.set(x.soup.normal, 3 * at);
            rim.set(x.soup.rim, 3 * at);
            body.fill(x.body, at, at + x.soup.cap.length);
            at += x.soup.cap.length;
            itemBody[item] = x.body;
            itemStart[++item] = at;
        }
        const g = new THREE.BufferGeometry();
        g.setAttribute("position", floats(position, 3));
        g.setAttribute("normal", floats(normal, 3));
        g.setAttribute("rim", floats(rim, 3));
        g.setAttribute("body", new THREE.BufferAttribute(body, 1));
        const make = (own: Shared = {}) => material(this.shared, G.solidVertex(true), G.solidFragment, three, own);
        if (!shell) {
            this.merged = { geometry: g, body: itemBody, start: itemStart };
            this.crowd += count;
            this.add(g, make(), three ? 2 : 1.5);
            return;
        }
        // A hollow wall: its far side is solid, its near side a veil through which one looks in.
        const inside = make({ opacity: { value: 1 } }), veil = make({ opacity: { value: 0.13 }, rims: { value: 0 } });
        inside.side = THREE.BackSide;
        veil.side = THREE.FrontSide;
        veil.depthWrite = false;
        this.add(g, inside, 1, false);
        const front = this.add(g, veil, 5, false);
        front.userData.veil = true;
    }

    private addBalls(list: Instances, radii: number[], three: boolean): void {
        const g = new THREE.BufferGeometry();
        g.setAttribute("place", new THREE.BufferAttribute(repeated(list.place, 3, 4, (n) => new Float32Array(n)), 3));
        g.setAttribute("radius", new THREE.BufferAttribute(repeated(radii, 1, 4, (n) => new Float32Array(n)), 1));
        g.setAttribute("body", new THREE.BufferAttribute(repeated(list.body, 1, 4, (n) => new Int32Array(n)), 1));
        g.setIndex(new THREE.BufferAttribute(squareIndices(radii.length), 1));
        g.boundingSphere = new THREE.Sphere();
        const mesh = this.add(g, three ? material(this.shared, G.ballVertex, G.ballFragment, true) : material(this.shared, G.discVertex, G.discFragment, false), 2, false);
        mesh.userData.ball = three;
        this.balls = { large: mesh, small: null, list, radii, largest: radii.reduce((a, r) => Math.max(a, r), 0) };
    }

    private addGround(s: number, three: boolean, size: number): void {
        const m = this.model, far = 100 * size, local = three
            ? [-far, -far, 0, far, -far, 0, far, far, 0, -far, far, 0]
            : [-far, -far, 0, far, -far, 0, far, 0, 0, -far, 0, 0];
        const flat = [0, 1, 2, 3].flatMap(() => (three ? [0, 0, 1] : [0, 1, 0]));
        const soup = S.placed({ position: local, normal: flat, rim: [], cap: [] }, m.shapeRotation.subarray(4 * s, 4 * s + 4), m.shapePosition.subarray(3 * s, 3 * s + 3));
        const g = new THREE.BufferGeometry();
        g.setAttribute("position", floats(soup.position, 3));
        g.setAttribute("normal", floats(soup.normal, 3));
        g.setAttribute("local", floats(local, 3));
        g.setAttribute("body", new THREE.BufferAttribute(new Int32Array(4).fill(m.shapeBody[s]), 1));
        g.setIndex([0, 1, 2, 0, 2, 3]);
        const mat = material(this.shared, G.groundVertex, G.groundFragment(three), three);
        mat.side = THREE.DoubleSide;
        this.add(g, mat, 0, false).userData.ground = true;
        const [w, x, y, z] = m.shapeRotation.subarray(4 * s, 4 * s + 4), [ax, ay, az] = m.shapePosition.subarray(3 * s, 3 * s + 3);
        this.grounds.push({ body: m.shapeBody[s], at: new THREE.Vector3(ax, ay, az), turn: new THREE.Quaternion(x, y, z, w), far });
    }

    /** Choose for a pass how bodies are drawn. Balls of less than `limit` pixels in radius are drawn in a cheap way; without a GPU they and
     *  all tiny bodies are drawn by the page itself, and of large crowds only what can be seen. Returns the picture where that is all there is. */
    choose(pass: Pass, limit: number): ImageData | null {
        const b = this.balls, three = this.model.dimension === 3, { shadows, scale } = pass, pixels = this.radius * scale, cut = this.shared.cut.value.lengthSq() > 0;
        const many = !!b && b.radii.length > 500 && b.largest * scale < 60, small = !cut && (three ? shadows || (many && pixels < limit) : many && pixels < 4 && limit > 1);
        const crowd = this.crowd > CROWD, own = !!pass.own && !cut && (crowd || (small && many));
        if (b) {
            b.large.visible = !small;
            if (small && !own) b.small ??= this.addSmallBalls(b.list, b.radii, three);
            if (b.small) b.small.visible = small && !own;
            if (!three && b.radii.length > 500 && !small) this.cullDiscs(pass.own ? pass.camera : null);
        }
        if (this.own) this.own.splats.mesh.visible = own;
        if (own) {
            const { splats, rounds } = (this.own ??= this.addOwn(three));
            const some = small ? rounds : { ...rounds, body: rounds.body.subarray(0, rounds.shapes) };
            splats.draw(some, crowd ? 0 : rounds.shapes, this.place, this.turn, this.tint, { ...pass.own!, camera: pass.camera, alone: !crowd && !this.hasOthers(pass) });
        } else if (small && three && !shadows) this.sortSmall(pass.eye);
        if (crowd) this.thin(own ? this.own!.splats.seen : null);
        return own ? this.own!.splats.finish(this.hasOthers(pass)) : null;
    }

    /** Without a GPU send of the large discs only those that may be in the picture; without a camera all of them. */
    private cullDiscs(camera: THREE.Camera | null): void {
        const { large, list, radii } = this.balls!, g = large.geometry, discs = (this.discs ??= {
            all: g.getIndex()!, some: new THREE.BufferAttribute(new Uint32Array(6 * radii.length), 1).setUsage(THREE.DynamicDrawUsage),
            body: Int32Array.from(list.body), reach: Float32Array.from(radii, (r, i) => r + Math.hypot(list.place[3 * i], list.place[3 * i + 1])),
        });
        if (!camera) return void g.setIndex(discs.all).setDrawRange(0, Infinity);
        const { some, body, reach } = discs, out = some.array as Uint32Array, p = camera.projectionMatrix.elements, v = camera.matrixWorldInverse.elements;
        let n = 0;
        for (let i = 0; i < body.length; i++) {
            const k = 4 * body[i], x = Math.abs(p[0] * (this.place[k] + v[12]) + p[12]), y = Math.abs(p[5] * (this.place[k + 1] + v[13]) + p[13]), r = 1.05 * reach[i];
            if (!(x < 1.01 + r * p[0] && y < 1.01 + r * p[5])) continue;
            for (let corner = 0; corner < 6; corner++) out[n++] = 4 * i + SQUARE[corner];
        }
        g.setIndex(some).setDrawRange(0, n);
        some.clearUpdateRanges();
        some.addUpdateRange(0, n);
        some.needsUpdate = true;
    }
    private discs: { all: THREE.BufferAttribute; some: THREE.BufferAttribute; body: Int32Array; reach: Float32Array } | null = null;

    private sortSmall(eye: THREE.Vector3): void {
        if (this.sortedFrom.distanceToSquared(eye) < 1e-3 * eye.distanceToSquared(this.shared.middle.value)) return;
        this.sortedFrom.copy(eye);
        const index = this.balls!.small!.geometry.getIndex()!;
        this.nearFirst(this.balls!.list.body, eye, index.array as Uint32Array);
        index.needsUpdate = true;
    }

    /** Is there anything but what the page draws itself? Numbers of grounds are the renderer's. */
    private hasOthers(pass: Pass): boolean {
        let others = false;
        this.group.parent?.traverseVisible((o) => {
            if (!(o instanceof THREE.Mesh || o instanceof THREE.Points) || o === this.own?.splats.mesh || (o.userData.ground && !pass.own?.numbers)) return;
            const g = o.geometry as THREE.BufferGeometry;
            others ||= g.drawRange.count > 0 && !(g instanceof THREE.InstancedBufferGeometry && g.instanceCount === 0);
        });
        return others;
    }

    private addOwn(three: boolean): { splats: Splats; rounds: Rounds } {
        const splats = new Splats(this.shared, three, new Grounds(this.shared, this.grounds)), m = this.model, bodies: number[] = [];
        splats.mesh.layers.set(1);
        this.group.add(splats.mesh);
        for (let b = 0; b < m.bodies; b++) if (this.canThin(b)) bodies.push(b);
        const balls = this.balls?.list, radii = this.balls?.radii ?? [], n = bodies.length, all = n + radii.length;
        const rounds: Rounds = { body: new Int32Array(all), place: new Float32Array(3 * all), radius: new Float32Array(all), inner: new Float32Array(all), outer: new Float32Array(all), shapes: n, centred: false };
        bodies.forEach((b, i) => {
            rounds.body[i] = b;
            rounds.radius[i] = Math.min(m.reach[b], three ? Math.cbrt((0.75 * m.volume[b]) / Math.PI) : Math.sqrt(m.volume[b] / Math.PI));
            rounds.inner[i] = Math.max(0, this.inner[b]);
            rounds.outer[i] = m.reach[b];
        });
        if (balls) {
            rounds.body.set(balls.body, n);
            rounds.place.set(balls.place, 3 * n);
            for (const list of [rounds.radius, rounds.inner, rounds.outer]) list.set(radii, n);
        }
        rounds.centred = rounds.place.every((x) => x === 0);
        return { splats, rounds };
    }

    /** Bodies of other shapes than balls that may be left out where they are not seen, or drawn round where they are tiny. */
    private canThin(b: number): boolean {
        const m = this.model;
        return m.kind[b] === 0 && this.inner[b] >= 0 && m.volume[b] > 0 && Number.isFinite(m.reach[b]);
    }

    /** Of the shapes other than balls draw only those of the bodies that were seen, or all. What does not change is not sent again. */
    private thin(seen: Uint8Array | null): void {
        const now = (this.drawn ??= new Uint8Array(this.model.bodies)), always = (this.always ??= Uint8Array.from(now, (_, b) => Number(!this.canThin(b))));
        let changed = !!seen !== this.thinned;
        for (let b = 0; b < now.length; b++) {
            const is = seen ? seen[b] | always[b] : 1;
            if (now[b] !== is) (now[b] = is), (changed = true);
        }
        if (!changed) return;
        this.thinned = !!seen;
        const m = this.merged;
        if (m && !seen) m.geometry.setIndex(null).setDrawRange(0, Infinity);
        else if (m) {
            const index = (this.index ??= new THREE.BufferAttribute(new Uint32Array(m.start[m.body.length]), 1).setUsage(THREE.DynamicDrawUsage)), out = index.array as Uint32Array;
            let n = 0;
            for (let i = 0; i < m.body.length; i++) if (now[m.body[i]]) for (let v = m.start[i]; v < m.start[i + 1]; v++) out[n++] = v;
            m.geometry.setIndex(index);
            m.geometry.setDrawRange(0, n);
            index.clearUpdateRanges();
            index.addUpdateRange(0, n);
            index.needsUpdate = true;
        }
        for (const { geometry, list } of this.instanced) {
            let n = 0;
            for (const name of ["body", "place", "turn", "size"] as const) {
                const to = geometry.getAttribute(name) as THREE.BufferAttribute, size = to.itemSize, out = to.array, from = list[name];
                n = 0;
                for (let i = 0; i < list.body.length; i++) {
                    if (!now[list.body[i]]) continue;
                    for (let k = 0; k < size; k++) out[size * n + k] = from[size * i + k];
                    n++;
                }
                to.clearUpdateRanges();
                to.addUpdateRange(0, n * size);
                to.needsUpdate = true;
            }
            geometry.instanceCount = n;
        }
    }
    private index: THREE.BufferAttribute | null = null;
    private drawn: Uint8Array | null = null;
    private always: Uint8Array | null = null;
    private thinned = false;

    /** Numbers of the balls, near ones first, as far as a thousand layers tell: what is hidden then costs little. */
    private nearFirst(body: ArrayLike<number>, eye: THREE.Vector3, order: Uint32Array): void {
        const n = body.length, p = this.place, start = this.layerStart.fill(0), layers = start.length - 1;
        if (this.layer.length < n) (this.layer = new Uint16Array(n)), (this.far = new Float32Array(n));
        let low = Infinity, high = -Infinity;
        for (let i = 0; i < n; i++) {
            const at = 4 * body[i], x = p[at] - eye.x, y = p[at + 1] - eye.y, z = p[at + 2] - eye.z, far = Math.sqrt(x * x + y * y + z * z);
            this.far[i] = far;
            if (far < low) low = far;
            if (far > high && far < Infinity) high = far;
        }
        const scale = high > low ? (layers - 1) / (high - low) : 0;
        for (let i = 0; i < n; i++) {
            const layer = Math.max(0, Math.min(layers - 1, Math.floor((this.far[i] - low) * scale) || 0));
            this.layer[i] = layer;
            start[layer + 1]++;
        }
        for (let k = 0; k < layers; k++) start[k + 1] += start[k];
        for (let i = 0; i < n; i++) order[start[this.layer[i]]++] = i;
    }
    private readonly layerStart = new Uint32Array(1025);
    private layer = new Uint16Array();
    private far = new Float32Array();

    private addSmallBalls(list: Instances, radii: number[], three: boolean): THREE.Points {
        const g = new THREE.BufferGeometry();
        g.setAttribute("position", floats(list.place, 3));
        g.setAttribute("radius", floats(radii, 1));
        g.setAttribute("body", new THREE.BufferAttribute(new Int32Array(list.body), 1));
        g.setIndex(new THREE.BufferAttribute(Uint32Array.from(radii, (_, i) => i), 1));
        const mat = three ? material(this.shared, G.smallBallVertex, G.smallBallFragment, true) : material(this.shared, G.smallDiscVertex, G.smallDiscFragment, false);
        const points = new THREE.Points(g, mat);
        points.frustumCulled = false;
        points.renderOrder = 2;
        points.layers.mask = this.balls!.large.layers.mask;
        this.group.add(points);
        return points;
    }

    /** With a section, the insides of bodies are seen. */
    setCut(on: boolean): void {
        for (const mat of this.cuttable) mat.side = on ? THREE.DoubleSide : THREE.FrontSide;
    }

    setFrame(frame: Frame): void {
        const { place, turn, model } = this, d = model.dimension;
        for (let b = 0; b < model.bodies; b++) {
            place[4 * b] = frame.position[d * b];
            place[4 * b + 1] = frame.position[d * b + 1];
            place[4 * b + 2] = d === 3 ? frame.position[d * b + 2] : 0;
            place[4 * b + 3] = frame.active[b] ? 1 : 0;
            if (d === 2) {
                const half = 0.5 * frame.rotation[b];
                turn[4 * b] = turn[4 * b + 1] = 0;
                turn[4 * b + 2] = Math.sin(half);
                turn[4 * b + 3] = Math.cos(half);
            } else {
                turn[4 * b] = frame.rotation[4 * b + 1];
                turn[4 * b + 1] = frame.rotation[4 * b + 2];
                turn[4 * b + 2] = frame.rotation[4 * b + 3];
                turn[4 * b + 3] = frame.rotation[4 * b];
            }
        }
        this.textures[0].needsUpdate = true;
        this.textures[1].needsUpdate = true;
    }

    tintChanged(): void {
        this.textures[2].needsUpdate = true;
    }

    dispose(): void {
        this.own?.splats.dispose();
        for (const child of this.group.children as THREE.Mesh[]) {
            child.geometry.dispose();
            (child.material as THREE.Material).dispose();
        }
        for (const t of this.textures) t.dispose();
    }
}
