// What the server sends, decoded: the model once, frames and the step table as they are asked for.

export type Numbers = Uint8Array | Int32Array | Float32Array | Float64Array;

export interface Pack {
    head: any;
    arrays: Record<string, Numbers>;
}

const makers: Record<string, (b: ArrayBuffer, at: number, n: number) => Numbers> = {
    u8: (b, at, n) => new Uint8Array(b, at, n),
    i32: (b, at, n) => new Int32Array(b, at, n),
    f32: (b, at, n) => new Float32Array(b, at, n),
    f64: (b, at, n) => new Float64Array(b, at, n),
};

/** Named arrays behind a JSON head: see src/view/pack.h. */
export function unpack(buffer: ArrayBuffer): Pack {
    const mark = new TextDecoder().decode(new Uint8Array(buffer, 0, 8));
    if (mark !== "MRNPACK1") throw new Error("the server sent something else than a pack");
    const length = new DataView(buffer).getUint32(8, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 16, length)));
    const arrays: Record<string, Numbers> = {};
    for (const [name, type, offset, count] of head.arrays) arrays[name] = makers[type](buffer, 16 + length + offset, count);
    return { head, arrays };
}

async function get(name: string): Promise<Response> {
    const response = await fetch(name, { cache: "no-store" });
    if (!response.ok) throw new Error((await response.text()) || `the server answered ${response.status}`);
    return response;
}

export interface StepColumn {
    name: string;
    unit: string;
    text: string;
}

export interface Material {
    name: string | null;
    density: number;
}

/** Wind or current. */
export interface Flow {
    name: "wind" | "current";
    largest: number; // m/s, anywhere and at any time
}

export const FREE = 0, FIXED = 1, DRIVEN = 2;

export interface Model {
    generation: number;
    file: string;
    scene: string;
    title: string | null;
    dimension: 2 | 3;
    bodies: number;
    gravity: number[];
    origin: number[];
    timeStep: number;
    outputInterval: number;
    stepper: string;
    solver: string;
    tolerance: number;
    materials: Material[];
    shapeKinds: string[];
    columns: StepColumn[];
    periodic: { low: number[]; high: number[] } | null;
    environment: { flows: Flow[] } | null;
    names: Record<string, string>;
    kind: Uint8Array;
    mass: Float64Array;
    volume: Float64Array;
    birth: Float32Array;
    reach: Float32Array;
    shapeCount: number;
    shapeKind: Uint8Array;
    shapeBody: Int32Array;
    shapeMaterial: Int32Array;
    shapeSize: Float32Array; // radius, top radius, half sides: 5 per shape
    shapePosition: Float32Array;
    shapeRotation: Float32Array; // w, x, y, z
    vertexStart: Int32Array;
    vertices: Float32Array; // 3 per vertex
    indexStart: Int32Array;
    indices: Int32Array;
    meshSides: Float32Array; // of floes: x, y of both ends in the frame of the body
    meshBody: Int32Array;
    bodyMaterial: Int32Array; // of the first shape, -1 without one
}

export async function fetchModel(): Promise<Model> {
    const { head, arrays: a } = unpack(await (await get("model")).arrayBuffer());
    const bodyMaterial = new Int32Array(head.bodies).fill(-1);
    const shapeBody = a.shape_body as Int32Array, shapeMaterial = a.shape_material as Int32Array;
    for (let s = shapeBody.length - 1; s >= 0; s--) bodyMaterial[shapeBody[s]] = shapeMaterial[s];
    return {
        generation: head.generation, file: head.file ?? "", scene: head.scene ?? "", title: head.title, dimension: head.dimension,
        bodies: head.bodies, gravity: head.gravity, origin: head.origin, timeStep: head.time_step, outputInterval: head.output_interval,
        stepper: head.stepper ?? "", solver: head.solver ?? "", tolerance: head.tolerance, materials: head.materials,
        shapeKinds: head.shape_kinds, columns: head.step_columns, periodic: head.periodic, environment: head.environment,
        names: head.body_names,
        kind: a.body_kind as Uint8Array, mass: a.body_mass as Float64Array, volume: a.body_volume as Float64Array,
        birth: a.body_birth as Float32Array, reach: a.body_reach as Float32Array,
        shapeCount: shapeBody.length, shapeKind: a.shape_kind as Uint8Array, shapeBody, shapeMaterial,
        shapeSize: a.shape_size as Float32Array, shapePosition: a.shape_position as Float32Array,
        shapeRotation: a.shape_rotation as Float32Array, vertexStart: a.vertex_start as Int32Array,
        vertices: a.vertices as Float32Array, indexStart: a.index_start as Int32Array, indices: a.indices as Int32Array,
        meshSides: (a.mesh_sides as Float32Array) ?? new Float32Array(), meshBody: (a.mesh_body as Int32Array) ?? new Int32Array(),
        bodyMaterial,
    };
}

export function bodyName(model: Model, body: number): string {
    return model.names[body] ?? `body ${body}`;
}

/** Contacts of a frame, one entry each; three numbers per vector. */
export interface Contacts {
    count: number;
    bodies: Int32Array;
    position: Float32Array;
    normal: Float32Array;
    impulse: Float32Array;
    velocity: Float32Array;
    gap: Float32Array;
    normalImpulse: Float32Array;
    status: Uint8Array;
}

export const OPEN = 0, STICK = 1, SLIP = 2;

export interface Frame {
    index: number;
    bodies: number; // may differ from that of the model: bodies can be born while a run is being written
    time: number;
    step: number;
    position: Float32Array; // dimension per body, relative to the origin of the model
    rotation: Float32Array; // angle, or w x y z
    velocity: Float32Array;
    spin: Float32Array;
    active: Uint8Array;
    contactCount: number; // also when the contacts were not asked for
    contacts: Contacts | null;
    bytes: number;
}

export async function fetchFrame(index: number, contacts: boolean): Promise<Frame> {
    const buffer = await (await get(`frame?index=${index}&contacts=${contacts ? 1 : 0}`)).arrayBuffer();
    const { head, arrays: a } = unpack(buffer);
    return {
        index, bodies: (a.active as Uint8Array).length, time: head.time, step: head.step, position: a.position as Float32Array, rotation: a.rotation as Float32Array,
        velocity: a.velocity as Float32Array, spin: a.spin as Float32Array, active: a.active as Uint8Array,
        contactCount: head.contacts, bytes: buffer.byteLength,
        contacts: !contacts ? null : {
            count: head.contacts, bodies: a.contact_bodies as Int32Array, position: a.contact_position as Float32Array,
            normal: a.contact_normal as Float32Array, impulse: a.contact_impulse as Float32Array,
            velocity: a.contact_velocity as Float32Array, gap: a.contact_gap as Float32Array,
            normalImpulse: a.contact_normal_impulse as Float32Array, status: a.contact_status as Uint8Array,
        },
    };
}

export interface Status {
    generation: number;
    frames: number;
    steps: number;
    end_time: number | null;
    writing: boolean;
    message: string | null;
}

export async function fetchStatus(): Promise<Status> {
    return (await get("status")).json();
}

export async function fetchTimes(first: number): Promise<Float64Array<ArrayBuffer>> {
    return unpack(await (await get(`times?first=${first}`)).arrayBuffer()).arrays.time as Float64Array<ArrayBuffer>;
}

export async function fetchFlow(query: string): Promise<Record<string, Float32Array>> {
    return unpack(await (await get(`flow?${query}`)).arrayBuffer()).arrays as Record<string, Float32Array>;
}

/** The step table; where a run has very many steps, pairs of rows with the least and the largest value of several. */
export interface Steps {
    count: number; // steps that the rows stand for
    stride: number;
    columns: Record<string, Float64Array>;
}

export async function fetchSteps(first: number, most: number): Promise<Steps> {
    const { head, arrays } = unpack(await (await get(`steps?first=${first}&most=${most}`)).arrayBuffer());
    return { count: head.count, stride: head.stride, columns: arrays as Record<string, Float64Array> };
}
