// Wind and current as arrows on a grid over what is seen, and the cell of a periodic plane.
import type { Palette } from "./colors";
import type { Ribbons } from "./marks";
import { fetchFlow, type Model } from "./run";
import type { Stage } from "./stage";

const CELL = 76; // pixels between arrows

export class FlowArrows {
    private wanted = "";
    private loading = false;

    constructor(private readonly model: Model, private readonly stage: Stage, private readonly arrows: Ribbons) {}

    get busy(): boolean {
        return this.loading;
    }

    /** Ask for the arrows of a time and of the present view; the last wish counts. */
    update(time: number, on: boolean, palette: Palette): void {
        if (!on || !this.model.environment?.flows.length || this.model.dimension !== 2) {
            this.wanted = "";
            this.arrows.begin(0);
            this.arrows.end();
            return;
        }
        const { canvas } = this.stage, m = this.stage.metresPerPixel, [x, y] = this.stage.view;
        const w = canvas.clientWidth * m, h = canvas.clientHeight * m, columns = Math.max(1, Math.round(canvas.clientWidth / CELL)), rows = Math.max(1, Math.round(canvas.clientHeight / CELL));
        this.wanted = `time=${time}&x0=${x - w / 2}&y0=${y - h / 2}&x1=${x + w / 2}&y1=${y + h / 2}&columns=${columns}&rows=${rows}`;
        void this.load(palette);
    }

    private async load(palette: Palette): Promise<void> {
        if (this.loading) return;
        this.loading = true;
        while (this.wanted) {
            const query = this.wanted;
            this.wanted = "";
            try {
                const arrays = await fetchFlow(query);
                this.draw(new URLSearchParams(query), arrays, palette);
            } catch {
                break; // the next frame asks again
            }
        }
        this.loading = false;
    }

    private draw(query: URLSearchParams, arrays: Record<string, Float32Array>, palette: Palette): void {
        const n = (name: string) => Number(query.get(name)), columns = n("columns"), rows = n("rows"), flows = this.model.environment!.flows;
        const dx = (n("x1") - n("x0")) / columns, dy = (n("y1") - n("y0")) / rows, full = 0.8 * Math.min(dx, dy), ratio = this.stage.renderer.getPixelRatio();
        this.arrows.begin(3 * flows.length * columns * rows);
        flows.forEach((flow, f) => {
            const v = arrays[flow.name], color = palette.curve(flow.name === "wind" ? 0 : 2), shift = flows.length > 1 ? (f - 0.5) * 0.3 : 0;
            for (let j = 0; j < rows; j++)
                for (let i = 0; i < columns; i++) {
                    const u = v[2 * (j * columns + i)], w = v[2 * (j * columns + i) + 1], speed = Math.hypot(u, w);
                    if (!(speed > 1e-3 * flow.largest)) continue;
                    const length = full * Math.min(1, speed / flow.largest), ux = u / speed, uy = w / speed, tip = Math.min(0.3 * length, 0.12 * full);
                    const x = n("x0") + (i + 0.5 + shift) * dx, y = n("y0") + (j + 0.5 + shift) * dy;
                    const to = [x + 0.5 * length * ux, y + 0.5 * length * uy, 0];
                    const line = (from: number[]) => this.arrows.add({ from, to, color, opacity: 0.5, pixels: 0.7 * ratio });
                    line([x - 0.5 * length * ux, y - 0.5 * length * uy, 0]);
                    for (const s of [-1, 1]) line([to[0] - tip * (ux - 0.55 * s * uy), to[1] - tip * (uy + 0.55 * s * ux), 0]);
                }
        });
        this.arrows.end();
        this.stage.invalidate();
    }
}
