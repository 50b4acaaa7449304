// Pictures and films of what is on the screen: the canvas with the clock, the legend and the ruler drawn over it.

/** Draw text and colour bars of the overlays as they stand on the page. */
function drawOverlays(context: CanvasRenderingContext2D, stage: HTMLElement, scale: number): void {
    const frame = stage.getBoundingClientRect();
    const boxOf = (e: Element) => {
        const b = e.getBoundingClientRect();
        return { x: (b.left - frame.left) * scale, y: (b.top - frame.top) * scale, w: b.width * scale, h: b.height * scale };
    };
    for (const overlay of stage.querySelectorAll<HTMLElement>(".overlay")) {
        const back = boxOf(overlay);
        context.fillStyle = getComputedStyle(overlay).backgroundColor;
        context.beginPath();
        context.roundRect(back.x, back.y, back.w, back.h, 9 * scale);
        context.fill();
        const walker = document.createTreeWalker(overlay, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
        for (let node: Node | null = walker.currentNode; node; node = walker.nextNode()) {
            if (node instanceof HTMLCanvasElement) {
                const b = boxOf(node);
                context.drawImage(node, b.x, b.y, b.w, b.h);
            } else if (node instanceof HTMLElement && node.tagName === "I") {
                const b = boxOf(node), style = getComputedStyle(node);
                if (node.parentElement?.id === "ruler") {
                    context.strokeStyle = style.borderBottomColor;
                    context.lineWidth = 1.5 * scale;
                    context.beginPath();
                    context.moveTo(b.x, b.y);
                    context.lineTo(b.x, b.y + b.h);
                    context.lineTo(b.x + b.w, b.y + b.h);
                    context.lineTo(b.x + b.w, b.y);
                    context.stroke();
                } else {
                    context.fillStyle = style.backgroundColor;
                    context.beginPath();
                    context.roundRect(b.x, b.y, b.w, b.h, Math.min(b.h / 2, (parseFloat(style.borderTopLeftRadius) || 0) * (style.borderTopLeftRadius.endsWith("%") ? b.h : scale)));
                    context.fill();
                }
            } else if (node.nodeType === Node.TEXT_NODE && node.textContent?.trim()) {
                const range = document.createRange();
                range.selectNodeContents(node);
                const b = range.getBoundingClientRect(), style = getComputedStyle(node.parentElement!);
                context.font = `${style.fontWeight} ${parseFloat(style.fontSize) * scale}px ${style.fontFamily}`;
                context.fillStyle = style.color;
                context.textBaseline = "middle";
                context.fillText(node.textContent.trim(), (b.left - frame.left) * scale, (b.top - frame.top + b.height / 2) * scale);
            }
        }
    }
}

/** `draw` returns the canvas that has the picture. */
export function compose(stage: HTMLElement, draw: () => HTMLCanvasElement, target: HTMLCanvasElement): void {
    const canvas = draw(); // that of the GPU is empty again after this task
    // Not finer than the screen: a canvas with more pixels is averaged.
    const scale = Math.min(canvas.width / stage.clientWidth, window.devicePixelRatio || 1), width = Math.round(stage.clientWidth * scale), height = Math.round(stage.clientHeight * scale);
    if (target.width !== width || target.height !== height) (target.width = width), (target.height = height);
    const context = target.getContext("2d")!;
    context.imageSmoothingQuality = "high";
    context.drawImage(canvas, 0, 0, width, height);
    drawOverlays(context, stage, scale);
}

export function save(blob: Blob, name: string): void {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export async function picture(stage: HTMLElement, draw: () => HTMLCanvasElement): Promise<Blob> {
    const target = document.createElement("canvas");
    compose(stage, draw, target);
    return new Promise((done, fail) => target.toBlob((b) => (b ? done(b) : fail(new Error("no picture"))), "image/png"));
}

/** A film of all that is drawn until it is stopped. */
export class Film {
    private readonly target = document.createElement("canvas");
    private readonly recorder: MediaRecorder;
    private readonly parts: Blob[] = [];
    readonly type: string;

    static get possible(): boolean {
        return typeof MediaRecorder !== "undefined" && "captureStream" in HTMLCanvasElement.prototype;
    }

    /** What this browser can record of a kind, best first. */
    static types(kind: "webm" | "mp4"): string[] {
        const codecs = kind === "webm" ? [";codecs=vp9", ";codecs=vp8", ""] : [";codecs=avc1.640028", ";codecs=avc1.42E01F", ";codecs=vp9", ""];
        return codecs.map((c) => `video/${kind}${c}`).filter((t) => MediaRecorder.isTypeSupported(t));
    }

    constructor(private readonly stage: HTMLElement, canvas: HTMLCanvasElement, kind: "webm" | "mp4") {
        this.type = [...Film.types(kind), ...Film.types("webm"), ...Film.types("mp4")][0] ?? "";
        this.target.width = canvas.width;
        this.target.height = canvas.height;
        this.target.getContext("2d");
        this.recorder = new MediaRecorder(this.target.captureStream(30), { mimeType: this.type, videoBitsPerSecond: 12e6 });
        this.recorder.ondataavailable = (e) => this.parts.push(e.data);
        this.recorder.start();
    }

    add(draw: () => HTMLCanvasElement): void {
        compose(this.stage, draw, this.target);
    }

    stop(): Promise<Blob> {
        return new Promise((done) => {
            this.recorder.onstop = () => done(new Blob(this.parts, { type: this.type }));
            this.recorder.stop();
        });
    }
}
