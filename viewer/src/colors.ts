// Colour maps and lists, made in OKLab (Ottosson 2020), where equal distances look equally different. Maps are walked at
// constant speed and monotone in lightness, so they also read in grey and for colour-blind eyes.

export type Rgb = [number, number, number]; // 0..255

const encode = (c: number) => (c <= 0.0031308 ? 12.92 * c : 1.055 * Math.pow(c, 1 / 2.4) - 0.055);

function labToLinear(L: number, a: number, b: number): number[] {
    const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
    return [
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
    ];
}

/** Lightness 0..1, chroma, hue in degrees; the nearest colour of that lightness and hue that a screen can show. */
export function lch(lightness: number, chroma: number, hue: number): Rgb {
    const angle = (hue * Math.PI) / 180;
    let low = 0, high = 1, share = 1, rgb = [0, 0, 0];
    for (let i = 0; i < 16; i++) {
        rgb = labToLinear(lightness, share * chroma * Math.cos(angle), share * chroma * Math.sin(angle));
        const inside = rgb.every((c) => c >= -1e-4 && c <= 1 + 1e-4);
        if (inside && i === 0) break;
        if (inside) low = share;
        else high = share;
        share = 0.5 * (low + high);
    }
    return rgb.map((c) => Math.round(255 * encode(Math.min(1, Math.max(0, c))))) as Rgb;
}

export const css = (c: Rgb) => `rgb(${c[0]}, ${c[1]}, ${c[2]})`;

function labOf(c: Rgb): number[] {
    const [r, g, b] = c.map((x) => { x /= 255; return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; });
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}

const SIZE = 256;

/** Walk a curve of colours at constant speed: 256 colours. */
function evenly(point: (t: number) => Rgb): Uint8Array {
    const fine = 1024, colors: Rgb[] = [], length = [0];
    let previous: number[] | null = null;
    for (let i = 0; i <= fine; i++) {
        const c = point(i / fine), lab = labOf(c);
        colors.push(c);
        if (previous) length.push(length[i - 1] + Math.hypot(lab[0] - previous[0], lab[1] - previous[1], lab[2] - previous[2]));
        previous = lab;
    }
    const table = new Uint8Array(3 * SIZE);
    for (let i = 0, at = 0; i < SIZE; i++) {
        while (at < fine && length[at] < (length[fine] * i) / (SIZE - 1)) at++;
        table.set(colors[at], 3 * i);
    }
    return table;
}

export interface Palette {
    dark: boolean;
    paper: Rgb;
    text: Rgb;
    faint: Rgb;
    obstacle: Rgb;
    driven: Rgb;
    edge: Rgb;
    accent: Rgb;
    chain: Rgb;
    weak: Rgb;
    open: Rgb;
    stick: Rgb;
    slip: Rgb;
    sequential: Uint8Array;
    diverging: Uint8Array;
    material: (index: number) => Rgb;
    category: (index: number) => Rgb;
    curve: (index: number) => Rgb;
}

const materials = [[0.84, 0.06, 78], [0.78, 0.075, 240], [0.81, 0.08, 155], [0.77, 0.09, 32], [0.75, 0.08, 305], [0.88, 0.09, 105]];
const curves = [[0.57, 0.141, 268], [0.71, 0.172, 60], [0.49, 0.1, 171], [0.36, 0.122, 303], [0.45, 0.165, 25], [0.7, 0.125, 234], [0.7, 0.14, 340]];

export function palette(dark: boolean): Palette {
    const ink = (l: number, c: number, h: number) => lch(l, c, h);
    return {
        dark,
        paper: dark ? ink(0.185, 0.012, 260) : ink(0.985, 0.003, 260),
        text: dark ? ink(0.93, 0.005, 260) : ink(0.25, 0.012, 260),
        faint: dark ? ink(0.33, 0.012, 260) : ink(0.9, 0.005, 260),
        obstacle: dark ? ink(0.4, 0.012, 260) : ink(0.78, 0.008, 260),
        driven: dark ? ink(0.48, 0.06, 250) : ink(0.74, 0.055, 250),
        edge: dark ? ink(0.15, 0.012, 260) : ink(0.38, 0.015, 70),
        accent: dark ? ink(0.8, 0.15, 200) : ink(0.58, 0.2, 260),
        chain: dark ? ink(0.86, 0.16, 88) : ink(0.42, 0.165, 25),
        weak: dark ? ink(0.6, 0.11, 60) : ink(0.7, 0.11, 40),
        open: dark ? ink(0.64, 0.008, 260) : ink(0.62, 0.008, 260),
        stick: dark ? ink(0.74, 0.13, 240) : ink(0.52, 0.17, 258),
        slip: dark ? ink(0.76, 0.18, 45) : ink(0.68, 0.2, 45),
        sequential: evenly((t) => {
            // From pale straw over orange and crimson to deep violet; walked the other way on dark paper.
            const s = dark ? 0.86 - 0.86 * t : 0.04 + 0.84 * t;
            return lch(0.955 - 0.685 * s, 0.045 + 0.56 * s * (1 - s) + 0.05 * s, 98 - 160 * Math.pow(s, 1.15));
        }),
        diverging: evenly((t) => {
            const side = 2 * t - 1, far = Math.abs(side);
            return lch(dark ? 0.34 + 0.44 * far : 0.94 - 0.46 * far, 0.02 + 0.17 * far, side < 0 ? 255 : 42);
        }),
        material: (i) => {
            const [l, c, h] = materials[((i % 6) + 6) % 6];
            return lch(dark ? l - 0.18 : l, c, h);
        },
        category: (i) => {
            // Golden-angle hues; lightness varies too, for eyes that do not see all hues.
            return lch((dark ? 0.62 : 0.76) + 0.07 * ((i * 0.754877) % 1) - 0.03, 0.115, (i * 137.508 + 40) % 360);
        },
        curve: (i) => {
            const [l, c, h] = curves[((i % 7) + 7) % 7];
            return lch(dark ? 0.55 + 0.95 * (l - 0.38) : l, c, h);
        },
    };
}

export function mapColors(map: Uint8Array, values: Float32Array, low: number, high: number, out: Uint32Array): void {
    const words = Uint32Array.from({ length: SIZE }, (_, i) => (map[3 * i] | (map[3 * i + 1] << 8) | (map[3 * i + 2] << 16) | 0xff000000) >>> 0);
    for (let i = 0; i < values.length; i++) {
        const t = (values[i] - low) / (high - low);
        out[i] = words[((SIZE - 1) * (t > 0 ? (t < 1 ? t : 1) : 0) + 0.5) | 0];
    }
}
