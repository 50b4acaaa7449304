// The picture: cameras, passes, picking. Draws only when something has changed.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { newShared } from "./bodies";
import type { Palette, Rgb } from "./colors";
import { Sheet } from "./sheet";

const BODIES = 1, OTHERS = 0; // layers

/** What is about to be drawn. */
export interface Pass {
    scale: number; // pixels of a metre, in the middle of the view
    eye: THREE.Vector3;
    shadows: boolean; // depth alone, from the light
    camera: THREE.Camera;
    own: { width: number; height: number; numbers: boolean } | null; // the page may draw bodies itself, for a picture of this size
}

export class Stage {
    readonly renderer: THREE.WebGLRenderer;
    readonly scene = new THREE.Scene();
    readonly shared = newShared();
    readonly camera: THREE.PerspectiveCamera | THREE.OrthographicCamera;
    readonly three: boolean;
    software: boolean; // no GPU, or one that is too slow: everything is dearer
    private readonly shadowSize: number;
    low = new THREE.Vector3(-1, -1, -1);
    high = new THREE.Vector3(1, 1, 1);
    images: THREE.Vector3[] = [new THREE.Vector3()];
    wantShadows = true;
    fine = false; // the best picture, however long it takes
    onPass: (pass: Pass) => ImageData | null = () => null; // told before each pass; may return the whole picture
    onClick: (x: number, y: number) => void = () => {};
    onMove: () => void = () => {};
    readonly cost = { pictures: 0, drawMilliseconds: 0, calls: 0, triangles: 0, points: 0, renderer: "" };
    private readonly controls: OrbitControls | null = null;
    private readonly light = new THREE.OrthographicCamera();
    private readonly shadowTarget: THREE.WebGLRenderTarget | null = null;
    private readonly pickTarget = new THREE.WebGLRenderTarget(1, 1);
    private sheet: Sheet | null = null; // for pictures that the page has drawn itself
    private readonly nothing = new THREE.DataTexture(new Uint8Array(4), 1, 1);
    private shadowIsOld = true;
    private waiting = 0;
    private tall = 1; // CSS pixels; the page is not asked for it, which may lay it out anew
    private span = 1; // metres seen from bottom to top in the plane
    private coarse = false; // a slow machine while things move
    private slow = 0;
    private lastDraw = 0;

    constructor(readonly canvas: HTMLCanvasElement, dimension: number, up: THREE.Vector3, fine = false) {
        this.three = dimension === 3;
        this.nothing.needsUpdate = true;
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: false, powerPreference: "high-performance" });
        this.renderer.autoClear = false;
        const gl = this.renderer.getContext(), info = gl.getExtension("WEBGL_debug_renderer_info");
        this.cost.renderer = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
        this.software = /swiftshader|llvmpipe|software|basic render/i.test(this.cost.renderer);
        this.renderer.info.autoReset = false; // a picture takes several passes
        this.shadowSize = fine ? 4096 : this.software ? 1024 : 2048;
        this.fine = fine;
        this.renderer.sortObjects = true;
        this.shared.up.value.copy(up);
        this.shared.lit.value = this.three ? 1 : 0;
        this.shared.rims.value = this.three ? 0.6 : 1.1;
        if (this.three) {
            const camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
            camera.up.copy(up);
            this.camera = camera;
            this.controls = new OrbitControls(camera, canvas);
            this.controls.enableDamping = false;
            this.controls.zoomToCursor = true;
            (this.controls as unknown as THREE.EventDispatcher<{ change: object }>).addEventListener("change", () => this.moved());
            this.shadowTarget = new THREE.WebGLRenderTarget(this.shadowSize, this.shadowSize, { depthBuffer: true });
            this.shadowTarget.depthTexture = new THREE.DepthTexture(this.shadowSize, this.shadowSize, THREE.UnsignedIntType);
            this.shared.shadowMap.value = this.shadowTarget.depthTexture;
        } else {
            this.camera = new THREE.OrthographicCamera(-1, 1, 1, -1, -10, 10);
            this.camera.position.set(0, 0, 1);
            this.shared.shadowMap.value = this.nothing;
            this.panAndZoom();
        }
        this.clicks();
        new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
        this.resize();
    }

    setPalette(p: Palette): void {
        const set = (name: string, c: Rgb) => this.shared[name].value.set(c[0] / 255, c[1] / 255, c[2] / 255);
        set("paper", p.paper);
        set("edge", p.edge);
        set("ink", p.text);
        set("accent", p.accent);
        this.renderer.setClearColor(new THREE.Color().setRGB(p.paper[0] / 255, p.paper[1] / 255, p.paper[2] / 255, THREE.LinearSRGBColorSpace), 1);
        // The clear colour is meant as it is: shaders write encoded colours.
        this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
        this.invalidate();
    }

    resize(): void {
        const box = this.canvas.parentElement!.getBoundingClientRect();
        const w = Math.max(1, Math.round(box.width)), h = Math.max(1, Math.round(box.height));
        this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1) * (this.fine ? 2 : this.coarse ? 0.6 : 1));
        this.renderer.setSize(w, h, false);
        this.tall = h;
        this.updateProjection();
        this.invalidate();
    }

    private updateProjection(): void {
        const w = this.canvas.clientWidth || 1, h = this.canvas.clientHeight || 1;
        if (this.camera instanceof THREE.PerspectiveCamera) this.camera.aspect = w / h;
        else {
            this.camera.top = this.span / 2;
            this.camera.bottom = -this.span / 2;
            this.camera.left = (-this.span / 2) * (w / h);
            this.camera.right = (this.span / 2) * (w / h);
        }
        this.camera.updateProjectionMatrix();
    }

    get middle(): THREE.Vector3 {
        return this.low.clone().add(this.high).multiplyScalar(0.5);
    }
    get radius(): number {
        return Math.max(0.5 * this.low.distanceTo(this.high), 1e-12);
    }

    setBounds(low: THREE.Vector3, high: THREE.Vector3): void {
        this.low.copy(low);
        this.high.copy(high);
        this.shared.middle.value.copy(this.middle);
        this.shared.boxLow.value.copy(low);
        this.shared.boxHigh.value.copy(high);
        this.shared.reach.value = 2.6 * this.radius;
        this.shared.grid.value = Math.pow(10, Math.round(Math.log10(this.radius / 4)));
        if (this.three) {
            // The light stands up and to the left of the first view.
            const up = this.shared.up.value as THREE.Vector3, side = this.viewDirection(-0.25, 0).cross(up).normalize();
            const front = this.viewDirection(0, 0);
            this.shared.lightDirection.value.copy(up).multiplyScalar(1.25).addScaledVector(side, 0.55).addScaledVector(front, 0.65).normalize();
            this.placeLight();
        }
        this.shadowIsOld = true;
    }

    private placeLight(): void {
        const r = 1.15 * this.radius, l = this.light;
        l.left = l.bottom = -r, l.right = l.top = r, l.near = 0, l.far = 4 * r;
        l.up.copy(this.shared.up.value);
        l.position.copy(this.middle).addScaledVector(this.shared.lightDirection.value, 2 * r);
        l.lookAt(this.middle);
        l.updateMatrixWorld();
        l.updateProjectionMatrix();
        this.shared.shadowMatrix.value.multiplyMatrices(l.projectionMatrix, l.matrixWorldInverse);
    }

    /** From the middle to the eye, for an azimuth about `up` and a height, in radians. */
    private viewDirection(azimuth: number, height: number): THREE.Vector3 {
        const up = this.shared.up.value as THREE.Vector3;
        const a = Math.abs(up.z) > 0.9 ? new THREE.Vector3(0, -1, 0) : new THREE.Vector3(0, 0, 1);
        a.addScaledVector(up, -a.dot(up)).normalize();
        const b = new THREE.Vector3().crossVectors(up, a);
        return a.multiplyScalar(Math.cos(azimuth) * Math.cos(height)).addScaledVector(b, Math.sin(azimuth) * Math.cos(height)).addScaledVector(up, Math.sin(height));
    }

    /** Show everything; in space from a given side. */
    fit(azimuth = 0.5, height = 0.38): void {
        const w = this.canvas.clientWidth || 1, h = this.canvas.clientHeight || 1;
        if (this.camera instanceof THREE.PerspectiveCamera) {
            // Far enough that all corners of the box are in the picture.
            const m = this.middle, back = this.viewDirection(azimuth, height), tall = (this.fine ? 0.97 : 0.84) * Math.tan((this.camera.fov * Math.PI) / 360), wide = (tall * w) / h;
            const right = new THREE.Vector3().crossVectors(this.shared.up.value, back);
            if (right.lengthSq() < 1e-6) right.copy(this.viewDirection(azimuth + Math.PI / 2, 0));
            right.normalize();
            const top = new THREE.Vector3().crossVectors(back, right), corner = new THREE.Vector3();
            let far = 0.2 * this.radius;
            for (let i = 0; i < 8; i++) {
                corner.set(i & 1 ? this.low.x : this.high.x, i & 2 ? this.low.y : this.high.y, i & 4 ? this.low.z : this.high.z).sub(m);
                far = Math.max(far, corner.dot(back) + Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(top)) / tall));
            }
            this.camera.position.copy(m).addScaledVector(back, far);
            this.controls!.target.copy(this.middle);
            this.controls!.update();
        } else {
            const size = this.high.clone().sub(this.low);
            // Room above for the clock and below for the legend.
            const above = Math.min(64, 0.12 * h), below = Math.min(92, 0.16 * h), side = Math.min(40, 0.05 * w);
            const metres = Math.max(size.y / (h - above - below), size.x / (w - 2 * side), 1e-12), m = this.middle;
            this.span = metres * h;
            this.camera.position.set(m.x, m.y + (0.5 * (above - below)) * metres, 1);
        }
        this.moved();
    }

    /** In space: as near as all balls (x, y, z, radius) allow, in the middle of the picture above the legend. */
    fitBalls(balls: Float32Array, azimuth: number, height: number): void {
        if (!(this.camera instanceof THREE.PerspectiveCamera) || !balls.length) return;
        const w = this.canvas.clientWidth || 1, h = this.canvas.clientHeight || 1;
        const back = this.viewDirection(azimuth, height), right = new THREE.Vector3().crossVectors(this.shared.up.value, back).normalize(), top = new THREE.Vector3().crossVectors(back, right);
        const tall = (1 - 110 / h) * Math.tan((this.camera.fov * Math.PI) / 360), wide = ((1 - 40 / w) * Math.tan((this.camera.fov * Math.PI) / 360) * w) / h;
        const m = this.middle, p = new THREE.Vector3();
        let far = 0;
        for (let pass = 0; pass < 4; pass++) {
            far = 1e-9;
            let left = Infinity, most = -Infinity, low = Infinity, high = -Infinity;
            for (let i = 0; i < balls.length; i += 4) {
                p.set(balls[i], balls[i + 1], balls[i + 2]).sub(m);
                far = Math.max(far, p.dot(back) + Math.max((Math.abs(p.dot(right)) + balls[i + 3]) / wide, (Math.abs(p.dot(top)) + balls[i + 3]) / tall));
            }
            for (let i = 0; i < balls.length; i += 4) {
                p.set(balls[i], balls[i + 1], balls[i + 2]).sub(m);
                const depth = far - p.dot(back), x = p.dot(right), y = p.dot(top), r = balls[i + 3];
                left = Math.min(left, (x - r) / depth), most = Math.max(most, (x + r) / depth), low = Math.min(low, (y - r) / depth), high = Math.max(high, (y + r) / depth);
            }
            m.addScaledVector(right, 0.5 * (left + most) * far).addScaledVector(top, 0.5 * (low + high) * far);
        }
        m.addScaledVector(top, (-12 / h) * 2 * far * Math.tan((this.camera.fov * Math.PI) / 360));
        this.camera.position.copy(m).addScaledVector(back, far);
        this.controls!.target.copy(m);
        this.controls!.update();
        this.moved();
    }

    private moved(): void {
        if (this.camera instanceof THREE.PerspectiveCamera) {
            const d = this.camera.position.distanceTo(this.middle);
            this.camera.near = Math.max(0.02 * this.camera.position.distanceTo(this.controls!.target), d - 60 * this.radius, 1e-4 * this.radius);
            this.camera.far = d + 60 * this.radius;
        }
        this.updateProjection();
        this.invalidate();
        this.onMove();
    }

    /** Move the eye with something it follows. */
    shift(delta: THREE.Vector3): void {
        this.camera.position.add(delta);
        this.controls?.target.add(delta);
        this.controls?.update();
        this.moved();
    }

    get view(): number[] {
        const p = this.camera.position, t = this.controls?.target;
        return t ? [p.x, p.y, p.z, t.x, t.y, t.z] : [p.x, p.y, this.span];
    }
    set view(v: number[]) {
        if (!v.every(Number.isFinite)) return;
        if (this.controls && v.length === 6) {
            this.camera.position.set(v[0], v[1], v[2]);
            this.controls.target.set(v[3], v[4], v[5]);
            this.controls.update();
        } else if (!this.controls && v.length === 3 && v[2] > 0) {
            this.camera.position.set(v[0], v[1], 1);
            this.span = v[2];
        } else return;
        this.moved();
    }

    /** Metres per CSS pixel in the plane, or at the distance of the middle of the view in space. */
    get metresPerPixel(): number {
        const h = this.tall;
        if (!(this.camera instanceof THREE.PerspectiveCamera)) return this.span / h;
        return (2 * Math.tan((this.camera.fov * Math.PI) / 360) * this.camera.position.distanceTo(this.controls!.target)) / h;
    }

    project(x: number, y: number, z: number): [number, number] {
        this.camera.updateMatrixWorld(); // it may have moved since the last picture
        const p = new THREE.Vector3(x, y, z).project(this.camera);
        return [(0.5 + 0.5 * p.x) * this.canvas.clientWidth, (0.5 - 0.5 * p.y) * this.canvas.clientHeight];
    }

    private panAndZoom(): void {
        const camera = this.camera, pointers = new Map<number, { x: number; y: number }>();
        const zoomAt = (x: number, y: number, factor: number) => {
            const box = this.canvas.getBoundingClientRect(), before = this.metresPerPixel;
            const dx = x - box.left - box.width / 2, dy = -(y - box.top - box.height / 2);
            this.span *= factor;
            const gain = before - this.metresPerPixel;
            camera.position.x += dx * gain;
            camera.position.y += dy * gain;
            this.moved();
        };
        this.canvas.addEventListener("wheel", (e) => {
            e.preventDefault();
            zoomAt(e.clientX, e.clientY, Math.exp(0.0015 * e.deltaY * (e.deltaMode ? 20 : 1)));
        }, { passive: false });
        this.canvas.addEventListener("pointerdown", (e) => {
            pointers.set(e.pointerId, { x: e.clientX, y: e.clientY });
            this.canvas.setPointerCapture(e.pointerId);
        });
        this.canvas.addEventListener("pointermove", (e) => {
            const p = pointers.get(e.pointerId);
            if (!p) return;
            const others = [...pointers.entries()].filter(([id]) => id !== e.pointerId).map(([, q]) => q);
            const m = this.metresPerPixel, share = 1 / pointers.size;
            camera.position.x -= (e.clientX - p.x) * m * share;
            camera.position.y += (e.clientY - p.y) * m * share;
            if (others.length === 1) {
                const q = others[0], was = Math.hypot(p.x - q.x, p.y - q.y), is = Math.hypot(e.clientX - q.x, e.clientY - q.y);
                if (was > 1 && is > 1) zoomAt((e.clientX + q.x) / 2, (e.clientY + q.y) / 2, was / is);
            }
            p.x = e.clientX, p.y = e.clientY;
            this.moved();
        });
        for (const end of ["pointerup", "pointercancel"] as const) this.canvas.addEventListener(end, (e) => pointers.delete(e.pointerId));
    }

    private clicks(): void {
        let x = 0, y = 0;
        this.canvas.addEventListener("pointerdown", (e) => { x = e.clientX, y = e.clientY; });
        this.canvas.addEventListener("pointerup", (e) => {
            if (e.button !== 0 || Math.hypot(e.clientX - x, e.clientY - y) > 4) return;
            const box = this.canvas.getBoundingClientRect();
            this.onClick(e.clientX - box.left, e.clientY - box.top);
        });
        this.canvas.addEventListener("dblclick", () => this.fit());
    }

    /** Something has changed; `moving` shadows too. */
    invalidate(bodiesMoved = false): void {
        if (bodiesMoved) this.shadowIsOld = true;
        if (!this.waiting) this.waiting = requestAnimationFrame((now) => {
            this.waiting = 0;
            this.pace(now);
            this.draw();
        });
    }

    /** What has changed is drawn by the caller. */
    cancel(): void {
        cancelAnimationFrame(this.waiting);
        this.waiting = 0;
    }

    /** A machine that needs long for a picture gets a coarser one while things move, and the fine one when they rest. */
    private pace(now: number): void {
        const gap = now - this.lastDraw;
        this.lastDraw = now;
        if (gap < 300) this.slow = 0.85 * this.slow + 0.15 * gap;
        if (!this.coarse && !this.fine && this.slow > 90) {
            this.coarse = true;
            this.resize();
        }
        if (this.coarse) {
            window.clearTimeout(this.rest);
            this.rest = window.setTimeout(() => {
                this.coarse = false;
                this.slow = 0;
                this.resize();
            }, 500);
        }
    }
    private rest = 0;

    private hide(what: (o: THREE.Object3D) => boolean): () => void {
        const hidden: THREE.Object3D[] = [];
        this.scene.traverse((o) => {
            if (o.visible && what(o)) hidden.push(o), (o.visible = false);
        });
        return () => hidden.forEach((o) => (o.visible = true));
    }

    private drawShadows(): void {
        const s = this.shared, on = this.three && this.wantShadows;
        s.shadows.value = on ? (5 * this.radius) / this.shadowSize : 0;
        this.compileShadows(on);
        if (!on || !this.shadowIsOld || this.coarse) return;
        this.shadowIsOld = false;
        const show = this.hide((o) => (o instanceof THREE.Mesh || o instanceof THREE.Points) && (o.renderOrder < 2 || o.renderOrder >= 3));
        s.pass.value = 2;
        s.cameraWorld.value.copy(this.light.matrixWorld);
        s.viewport.value.set(this.shadowSize, this.shadowSize);
        this.onPass({ scale: this.shadowSize / (2.3 * this.radius), eye: this.light.position, shadows: true, camera: this.light, own: null });
        s.shadowMap.value = this.nothing; // a texture cannot be read while it is written
        this.renderer.setRenderTarget(this.shadowTarget);
        this.renderer.clear();
        this.light.layers.enableAll();
        this.renderer.render(this.scene, this.light);
        s.shadowMap.value = this.shadowTarget!.depthTexture;
        this.renderer.setRenderTarget(null);
        show();
    }

    /** Shaders without the code of shadows where there are none: in software it would be run all the same. */
    private compileShadows(on: boolean): void {
        this.scene.traverse((o) => {
            if (!(o instanceof THREE.Mesh || o instanceof THREE.Points)) return;
            const m = o.material as THREE.RawShaderMaterial;
            if (on === "SHADOWS" in m.defines) return;
            if (on) m.defines.SHADOWS = 1;
            else delete m.defines.SHADOWS;
            m.needsUpdate = true;
        });
    }

    private eye(): void {
        const s = this.shared;
        this.camera.updateMatrixWorld();
        s.eye.value.copy(this.camera.position);
        s.cameraWorld.value.copy(this.camera.matrixWorld);
    }

    /** The page draws small bodies itself where there is no GPU, and neither glass, images nor shadows are wanted. */
    private tell(numbers: boolean): ImageData | null {
        const s = this.shared, { x: width, y: height } = s.viewport.value, simple = this.software && !this.fine && this.images.length === 1 && s.opacity.value >= 1 && !s.shadows.value;
        return this.onPass({ scale: 1 / this.metresPerPixel, eye: this.camera.position, shadows: false, camera: this.camera, own: simple ? { width, height, numbers } : null });
    }

    /** Returns the canvas that has the picture. */
    draw(): HTMLCanvasElement {
        const start = performance.now(), s = this.shared, r = this.renderer;
        r.info.reset();
        this.drawShadows();
        this.eye();
        s.pass.value = 0;
        this.smoothBalls(s.opacity.value >= 1);
        r.setRenderTarget(null);
        r.getDrawingBufferSize(s.viewport.value);
        const whole = this.tell(false);
        if (whole) (this.sheet ??= new Sheet(this.canvas)).show(whole);
        else this.render(), this.sheet?.hide();
        const { calls, triangles, points } = r.info.render;
        Object.assign(this.cost, { pictures: this.cost.pictures + 1, drawMilliseconds: performance.now() - start, calls, triangles, points });
        return whole ? this.sheet!.canvas : this.canvas;
    }

    private render(): void {
        const s = this.shared, r = this.renderer, opacity = s.opacity.value;
        r.clear();
        for (const image of this.images) {
            s.image.value.copy(image);
            // Copies are paler than the cell itself, and only its bodies are repeated.
            const copy = image.lengthSq() > 0;
            s.opacity.value = copy ? 0.4 * opacity : opacity;
            if (copy) {
                this.camera.layers.set(BODIES);
                r.render(this.scene, this.camera);
                continue;
            }
            if (s.opacity.value >= 1) {
                this.camera.layers.enableAll();
                r.render(this.scene, this.camera);
                continue;
            }
            // Bodies of glass: what is inside first, then the nearest surfaces over it.
            this.camera.layers.set(OTHERS);
            r.render(this.scene, this.camera);
            this.camera.layers.set(BODIES);
            if (this.three) {
                const colors = this.bodyMaterials();
                colors.forEach((m) => (m.colorWrite = false));
                r.render(this.scene, this.camera);
                colors.forEach((m) => (m.colorWrite = true));
            }
            r.render(this.scene, this.camera);
        }
        s.image.value.set(0, 0, 0);
        s.opacity.value = opacity;
    }

    /** Milliseconds for a picture, the best of several: the first one compiles, and a GPU that was asleep wakes up slowly. They end at one that is short enough. A pixel is
     *  read back, so that each has been drawn. */
    pictureTime(enough: number): number {
        const gl = this.renderer.getContext(), pixel = new Uint8Array(4), begin = performance.now();
        let least = Infinity;
        for (let i = 0; i < 4 || (i < 40 && performance.now() - begin < 600); i++) {
            const start = performance.now();
            this.shadowIsOld = true; // as with each new frame
            this.draw();
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
            if (i > 0) least = Math.min(least, performance.now() - start);
            if (least <= enough) break;
        }
        return least;
    }

    /** Outlines of opaque balls are smoothed by samples, which needs no order; those of glass ones by blending. */
    private smoothBalls(opaque: boolean): void {
        this.scene.traverse((o) => {
            if (!(o instanceof THREE.Mesh) || !o.userData.ball) return;
            const m = o.material as THREE.Material;
            m.alphaToCoverage = opaque;
            // The alpha of the picture itself stays 1: the page must not shine through outlines.
            m.blending = opaque ? THREE.CustomBlending : THREE.NormalBlending;
            (m.blendSrc = THREE.OneFactor), (m.blendDst = THREE.ZeroFactor), (m.blendSrcAlpha = THREE.ZeroFactor), (m.blendDstAlpha = THREE.OneFactor);
        });
    }

    private bodyMaterials(): THREE.Material[] {
        const list: THREE.Material[] = [];
        this.scene.traverse((o) => {
            if ((o instanceof THREE.Mesh || o instanceof THREE.Points) && o.layers.isEnabled(BODIES)) list.push(o.material as THREE.Material);
        });
        return list;
    }

    /** Meshes of bodies belong to a layer of their own. */
    static asBodies(group: THREE.Object3D): void {
        group.traverse((o) => {
            if (o instanceof THREE.Mesh && o.renderOrder >= 1.5 && o.renderOrder < 3) o.layers.set(BODIES);
        });
    }

    private numbers(x: number, y: number, w: number, h: number, width: number, height: number): Uint8Array {
        const s = this.shared, r = this.renderer;
        this.pickTarget.setSize(w, h);
        this.camera.setViewOffset(width, height, x, y, w, h);
        this.camera.updateProjectionMatrix();
        this.eye();
        const opacity = s.opacity.value, show = this.hide((o) => !!o.userData.veil);
        s.pass.value = 1;
        s.opacity.value = 1;
        this.smoothBalls(false); // numbers are written whole
        s.viewport.value.set(w, h);
        this.tell(true);
        r.setRenderTarget(this.pickTarget);
        r.setClearAlpha(0);
        const clear = new THREE.Color();
        r.getClearColor(clear);
        r.setClearColor(0, 0);
        r.clear();
        this.camera.layers.enableAll();
        r.render(this.scene, this.camera);
        const bytes = new Uint8Array(4 * w * h);
        r.readRenderTargetPixels(this.pickTarget, 0, 0, w, h, bytes);
        r.setRenderTarget(null);
        r.setClearColor(clear, 1);
        show();
        s.pass.value = 0;
        s.opacity.value = opacity;
        this.camera.clearViewOffset();
        this.updateProjection();
        return bytes;
    }

    /** The number under a point in CSS pixels, -1 if there is none; near small things count. */
    pick(x: number, y: number): number {
        const reach = 3, n = 2 * reach + 1;
        const bytes = this.numbers(Math.round(x) - reach, Math.round(y) - reach, n, n, this.canvas.clientWidth, this.canvas.clientHeight);
        const at = (i: number) => (bytes[i + 3] === 255 ? bytes[i] + 256 * bytes[i + 1] + 65536 * bytes[i + 2] - 1 : -1);
        let best = at(4 * (reach * n + reach)), nearest = Infinity;
        for (let j = 0; j < n; j++)
            for (let i = 0; i < n; i++) {
                const number = at(4 * (j * n + i)), far = Math.hypot(i - reach, j - reach);
                if (number >= CONTACT && far < nearest && far <= reach) (best = number), (nearest = far);
            }
        return best;
    }

    /** Numbers of all that is seen, with the pixels each covers. */
    visible(): Map<number, number> {
        const w = this.canvas.clientWidth, h = this.canvas.clientHeight, count = new Map<number, number>();
        const bytes = this.numbers(0, 0, w, h, w, h);
        for (let i = 0; i < bytes.length; i += 4)
            if (bytes[i + 3] === 255) {
                const n = bytes[i] + 256 * bytes[i + 1] + 65536 * bytes[i + 2] - 1;
                count.set(n, (count.get(n) ?? 0) + 1);
            }
        return count;
    }
}

/** Numbers from here on are contacts. */
export const CONTACT = 1 << 22;
