// Tracks: the paths of mass centres through the run, for some bodies and some frames, so that it stays light.
import type { Palette } from "./colors";
import { Ribbons } from "./marks";
import type { Player } from "./player";
import { FREE, type Model } from "./run";
import type { Shared } from "./bodies";

const MOST_BODIES = 1500, MOST_FRAMES = 120;

export class Tracks {
    private readonly lines: Ribbons;
    private readonly bodies: number[] = [];
    private readonly known = new Map<number, Float32Array>(); // positions of the bodies in a frame
    private loading = false;
    private wanted = false;

    constructor(shared: Shared, three: boolean, private readonly model: Model, private readonly player: Player, private readonly changed: () => void) {
        this.lines = new Ribbons(shared, three, three ? 1.7 : 2.5);
        const free: number[] = [];
        for (let b = 0; b < model.bodies; b++) if (model.kind[b] === FREE) free.push(b);
        const stride = Math.max(1, Math.ceil(free.length / MOST_BODIES));
        for (let i = 0; i < free.length; i += stride) this.bodies.push(free[i]);
    }

    get busy(): boolean {
        return this.loading;
    }

    get mesh() {
        return this.lines.mesh;
    }

    dispose(): void {
        this.wanted = false;
        this.lines.dispose();
    }

    private get frames(): number[] {
        const n = this.player.index + 1, stride = Math.max(1, Math.ceil(n / MOST_FRAMES)), list: number[] = [];
        // Multiples of a power of two: tracks grow without asking for other frames each time.
        let step = 1;
        while (step < stride) step *= 2;
        for (let i = 0; i < n; i += step) list.push(i);
        if (list[list.length - 1] !== this.player.index) list.push(this.player.index);
        return list;
    }

    show(on: boolean, palette: Palette): void {
        this.wanted = on;
        this.mesh.visible = on;
        if (!on) return;
        void this.load(palette);
        this.draw(palette);
    }

    private async load(palette: Palette): Promise<void> {
        if (this.loading) return;
        this.loading = true;
        for (let i = 0; ; ) {
            const missing = this.wanted ? this.frames.filter((f) => !this.known.has(f)) : [];
            if (!missing.length) break;
            try {
                const frame = await this.player.frame(missing[0], false), d = this.model.dimension, p = new Float32Array(3 * this.bodies.length);
                this.bodies.forEach((b, k) => {
                    const there = frame.active[b];
                    for (let c = 0; c < d; c++) p[3 * k + c] = there ? frame.position[d * b + c] : NaN;
                });
                this.known.set(missing[0], p);
            } catch {
                break;
            }
            if (++i % 8 === 0) this.draw(palette);
        }
        this.loading = false;
        if (this.wanted) this.draw(palette);
    }

    private draw(palette: Palette): void {
        const list = this.frames.filter((f) => this.known.has(f));
        this.lines.begin(Math.max(0, list.length - 1) * this.bodies.length);
        for (let i = 1; i < list.length; i++) {
            const a = this.known.get(list[i - 1])!, b = this.known.get(list[i])!, age = i / list.length;
            for (let k = 0; k < this.bodies.length; k++) {
                if (!(a[3 * k] === a[3 * k]) || !(b[3 * k] === b[3 * k])) continue;
                this.lines.add({ from: a.subarray(3 * k, 3 * k + 3), to: b.subarray(3 * k, 3 * k + 3), color: palette.category(this.bodies[k]), opacity: 0.15 + 0.7 * age, pixels: 0.8 });
            }
        }
        this.lines.end();
        this.changed();
    }
}
