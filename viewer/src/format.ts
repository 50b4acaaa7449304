// Numbers as people read them.

const prefixes: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

/** A few significant digits, without a tail of zeros. */
export function number(x: number, digits = 4): string {
    if (!Number.isFinite(x)) return Number.isNaN(x) ? "not a number" : x > 0 ? "∞" : "−∞";
    if (x === 0) return "0";
    const a = Math.abs(x);
    const text = a >= 1e6 || a < 1e-4 ? x.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e") : String(Number(x.toPrecision(digits)));
    return text.replace("-", "−").replace(/e−?(\d+)/, (m) => m);
}

/** With a unit and its prefix: 0.0123 m is 12.3 mm. Only units that take prefixes well. */
export function quantity(x: number, unit: string, digits = 4): string {
    if (!unit || unit === "1") return number(x, digits);
    if (!["m", "s", "J", "N", "Pa", "N s", "m/s", "N/m", "kg"].includes(unit) || x === 0 || !Number.isFinite(x)) return `${number(x, digits)} ${unit}`;
    const a = Math.abs(x);
    if (unit === "kg") return a < 1 ? `${number(1e3 * x, digits)} g` : a >= 1e4 ? `${number(x / 1e3, digits)} t` : `${number(x, digits)} kg`;
    if (unit === "s" && a >= 1) return duration(x, digits);
    const [factor, prefix] = prefixes.find(([f]) => a >= f * 0.9995) ?? [1, ""];
    if (unit === "m" && factor >= 1e6) return `${number(x / 1e3, digits)} km`;
    return `${number(x / factor, digits)} ${prefix}${unit}`;
}

/** For a scale up to `largest`: what to divide by, and the unit with its prefix. */
export function scaleUnit(largest: number, unit: string): [number, string] {
    if (!["Pa", "N/m", "m/s", "N", "J"].includes(unit) || !(largest > 0) || (largest >= 1e-2 && largest < 1e4)) return [1, unit];
    const [factor, prefix] = prefixes.find(([f]) => largest >= f * 0.9995) ?? [1e-9, "n"];
    return [factor, prefix + unit];
}

function duration(x: number, digits: number): string {
    if (x < 600) return `${number(x, digits)} s`;
    if (x < 2 * 86400) {
        const h = Math.floor(x / 3600), m = Math.floor((x % 3600) / 60), s = Math.floor(x % 60);
        return h ? `${h} h ${String(m).padStart(2, "0")} min` : `${m} min ${String(s).padStart(2, "0")} s`;
    }
    return `${number(x / 86400, digits)} d`;
}

/** The time of a frame, with as many digits as tell frames apart. */
export function clock(time: number, interval: number): string {
    if (interval >= 30) return quantity(time, "s", 6);
    const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(Math.max(interval, 1e-12)) + 0.7)));
    return `${time.toFixed(decimals)} s`;
}

export function vector(v: ArrayLike<number>, unit: string): string {
    const largest = Math.max(...Array.from(v, Math.abs));
    const factor = unit === "m" && largest >= 1e4 ? 1e3 : unit === "m" && largest < 0.1 && largest > 0 ? 1e-3 : 1;
    const shown = factor === 1e3 ? "km" : factor === 1e-3 ? "mm" : unit;
    return `(${Array.from(v, (x) => number(Math.abs(x) < 1e-7 * largest ? 0 : x / factor)).join(", ")}) ${shown}`;
}
