// A plain canvas over that of the renderer, for pictures which the page has drawn as a whole: they go to the screen as they
// are, without a texture, a triangle and a copy back from a renderer that is not a GPU.

export class Sheet {
    readonly canvas = document.createElement("canvas");
    private readonly context = this.canvas.getContext("2d", { alpha: false })!;

    constructor(under: HTMLCanvasElement) {
        this.canvas.className = "sheet"; // clicks go through it
        under.after(this.canvas);
    }

    show(picture: ImageData): void {
        const { canvas, context } = this, { width, height } = picture;
        if (canvas.width !== width || canvas.height !== height) (canvas.width = width), (canvas.height = height);
        context.putImageData(picture, 0, 0);
        canvas.hidden = false;
    }

    hide(): void {
        this.canvas.hidden = true;
    }
}
