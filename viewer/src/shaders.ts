// Shaders of all brushes. Poses and colours of bodies lie in textures, so that a new frame is two small uploads, whatever
// the shapes are. `pass` says what to draw: 0 the picture, 1 numbers for picking, 2 depth for shadows.

const common = /* glsl */ `
precision highp float;
precision highp int;
uniform int pass;
uniform vec2 viewport; // pixels
uniform vec3 image; // offset of a periodic image
`;

const vertexCommon = /* glsl */ `${common}
uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform highp sampler2D placeMap; // x, y, z, 1 where the body is there
uniform highp sampler2D turnMap;  // quaternion x, y, z, w
uniform sampler2D tintMap;
uniform int selected;
uniform vec3 accent;
ivec2 cell(int body) { int w = textureSize(placeMap, 0).x; return ivec2(body % w, body / w); }
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec4 tintOf(int body) {
    vec4 tint = texelFetch(tintMap, cell(body), 0);
    if (body == selected && pass == 0) tint.rgb = mix(tint.rgb, accent, 0.75);
    return tint;
}
const vec4 nowhere = vec4(2.0, 2.0, 2.0, 1.0);
`;

const fragmentCommon = /* glsl */ `${common}
layout(location = 0) out vec4 color;
uniform vec4 cut; // keep what has dot(cut.xyz, p) <= cut.w; zero: no cut
uniform vec3 up;
uniform vec3 lightDirection; // towards the light, in space
uniform vec3 edge;
uniform vec3 paper;
uniform float opacity;
uniform float lit; // 0 flat, 1 shaded
uniform mat4 viewMatrix;
uniform mat4 shadowMatrix;
uniform highp sampler2D shadowMap;
uniform float shadows; // 0 none, 1 full
vec4 number(int n) { n += 1; return vec4(float(n & 255), float((n >> 8) & 255), float((n >> 16) & 255), 255.0) / 255.0; }
vec3 linear(vec3 c) { return c * c * (0.305306 * c + 0.682171) + 0.012522 * c; }
vec3 encoded(vec3 c) { return max(1.055 * pow(max(c, vec3(0.0)), vec3(0.416667)) - 0.055, 0.0); }
#ifndef SHADOWS
float shadow(vec3 p, vec3 n) { return 1.0; }
#else
float shadow(vec3 p, vec3 n) {
    if (shadows <= 0.0) return 1.0;
    vec4 q = shadowMatrix * vec4(p + n * shadows, 1.0);
    vec3 s = q.xyz / q.w * 0.5 + 0.5;
    if (any(lessThan(s, vec3(0.0))) || any(greaterThan(s, vec3(1.0)))) return 1.0;
    vec2 texel = 1.0 / vec2(textureSize(shadowMap, 0));
    float angle = 6.2832 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    float sum = 0.0;
    for (int i = 0; i < 12; i++) {
        float r = sqrt((float(i) + 0.5) / 12.0) * 2.6, a = angle + float(i) * 2.399963;
        sum += step(s.z - 0.0006, texture(shadowMap, s.xy + r * vec2(cos(a), sin(a)) * texel).r);
    }
    return sum / 12.0;
}
#endif
float squared(float x) { return x * x; }
/// Light from above, sky all around, a little from the eye.
vec3 shade(vec3 base, vec3 p, vec3 n, vec3 toEye) {
    if (lit <= 0.0) return base;
    vec3 c = linear(base);
    float key = max(dot(n, lightDirection), 0.0), sky = 0.5 + 0.5 * dot(n, up), eye = max(dot(n, toEye), 0.0);
    float s = key > 0.0 ? shadow(p, n) : 0.0;
    vec3 h = normalize(lightDirection + toEye);
    // Powers 42 and 4 as products: a renderer in software spends long on the others.
    float g2 = squared(max(dot(n, h), 0.0)), g8 = squared(squared(g2)), g32 = squared(squared(g8));
    float gloss = g32 * g8 * g2 * 0.16 * s;
    float fresnel = squared(squared(1.0 - eye)) * 0.10 * sky;
    return encoded(c * (vec3(1.0, 0.97, 0.92) * key * s * 0.92 + mix(vec3(0.22, 0.20, 0.19), vec3(0.50, 0.55, 0.62), sky) * 0.78 + 0.10 * eye) + gloss + fresnel);
}
bool isCut(vec3 p) { return dot(cut.xyz, p) > cut.w; }
`;

/** Triangles fixed to a body: shared by many bodies (instanced) or given in the frame of the body (merged). */
export const solidVertex = (merged: boolean) => /* glsl */ `${vertexCommon}
in vec3 position;
in vec3 normal;
in vec3 rim;
in int body;
${merged ? "" : "in vec3 place; in vec4 turn; in vec4 size; in float cap;"}
out vec3 vPoint, vNormal, vTint, vRim, vLocal;
flat out int vBody;
void main() {
    vec4 p = texelFetch(placeMap, cell(body), 0);
    vec4 q = texelFetch(turnMap, cell(body), 0);
    vec3 local = position, n = normal;
    ${merged ? "" : "local = place + turned(turn, position * size.xyz + vec3(0.0, 0.0, cap * size.w)); n = turned(turn, normal);"}
    vPoint = p.xyz + turned(q, local) + image;
    vNormal = turned(q, n);
    vTint = tintOf(body).rgb;
    vRim = rim;
    vLocal = local;
    vBody = body;
    gl_Position = p.w > 0.5 ? projectionMatrix * viewMatrix * vec4(vPoint, 1.0) : nowhere;
}`;

export const solidFragment = /* glsl */ `${fragmentCommon}
in vec3 vPoint, vNormal, vTint, vRim, vLocal;
flat in int vBody;
uniform float rims; // pixels
uniform vec3 eye;
void main() {
    if (isCut(vPoint)) discard;
    if (pass == 1) { color = number(vBody); return; }
    if (pass == 2) { color = vec4(1.0); return; }
    vec3 toEye = normalize(eye - vPoint), n = normalize(vNormal);
    if (!gl_FrontFacing && lit > 0.0) {
        // The inside of a body that is cut open is full: its colour is that of the section.
        if (cut.xyz != vec3(0.0)) { color = vec4(mix(shade(vTint, vPoint, cut.xyz, toEye), edge, 0.06), opacity); return; }
        n = -n;
    }
    vec3 c = shade(vTint, vPoint, n, toEye);
    vec3 d = vRim / max(fwidth(vRim), vec3(1e-6));
    float line = 1.0 - smoothstep(rims - 0.7, rims + 0.7, min(d.x, min(d.y, d.z)));
    c = mix(c, lit > 0.0 ? c * 0.62 : edge, rims > 0.0 ? line * (lit > 0.0 ? 0.55 : 0.85) : 0.0);
    color = vec4(c, opacity);
}`;

/** Which corner of its square a vertex is: -1 or 1 each way. */
const corner = /* glsl */ `
vec2 corner() { int i = gl_VertexID & 3; return vec2(i == 1 || i == 2 ? 1.0 : -1.0, i >= 2 ? 1.0 : -1.0); }
`;

/** Balls as rays that meet a sphere: round at any size, two triangles each. */
export const ballVertex = /* glsl */ `${vertexCommon}${corner}
in vec3 place;
in float radius;
in int body;
out vec3 vPoint, vTint;
flat out vec3 vCentre;
flat out float vRadius;
flat out vec4 vTurn;
flat out int vBody;
void main() {
    vec4 p = texelFetch(placeMap, cell(body), 0);
    vTurn = texelFetch(turnMap, cell(body), 0);
    vec3 centre = p.xyz + turned(vTurn, place) + image;
    vCentre = (viewMatrix * vec4(centre, 1.0)).xyz;
    vRadius = radius;
    vTint = tintOf(body).rgb;
    vBody = body;
    vec3 toEye = projectionMatrix[2][3] == 0.0 ? vec3(0.0, 0.0, 1.0) : normalize(-vCentre);
    float far = length(vCentre);
    // The silhouette of a near ball is larger than its great circle.
    float grow = projectionMatrix[2][3] == 0.0 ? 1.0 : far / sqrt(max(far * far - radius * radius, 0.04 * far * far));
    vec3 side = normalize(cross(vec3(0.0, 1.0, 0.0), toEye)), top = cross(toEye, side);
    float pixels = radius * projectionMatrix[1][1] * 0.5 * viewport.y / (projectionMatrix[2][3] == 0.0 ? 1.0 : max(far, 1e-9));
    vPoint = vCentre + radius * grow * (1.01 + 1.0 / max(pixels, 1.0)) * (side * corner().x + top * corner().y);
    gl_Position = p.w > 0.5 ? projectionMatrix * vec4(vPoint, 1.0) : nowhere;
}`;

export const ballFragment = /* glsl */ `${fragmentCommon}
uniform mat4 projectionMatrix;
uniform mat4 cameraWorld;
uniform float mark; // how strongly the turning of balls is marked
in vec3 vPoint, vTint;
flat in vec3 vCentre;
flat in float vRadius;
flat in vec4 vTurn;
flat in int vBody;
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
void main() {
    bool flatView = projectionMatrix[2][3] == 0.0;
    vec3 from = flatView ? vec3(vPoint.xy, 0.0) : vec3(0.0), ray = flatView ? vec3(0.0, 0.0, -1.0) : normalize(vPoint);
    vec3 away = from - vCentre;
    float b = dot(away, ray), c = dot(away, away) - vRadius * vRadius;
    // The foot of the centre on the ray gives a discriminant without cancellation.
    vec3 foot = away - b * ray;
    float off = length(foot), pixel = fwidth(off), h = vRadius * vRadius - off * off;
    float cover = clamp((vRadius - off) / max(pixel, 1e-12) + 0.5, 0.0, 1.0); // share of the pixel, for smooth outlines
    if (cover <= 0.0 || (pass > 0 && h < 0.0)) discard;
    h = sqrt(max(h, 0.0));
    vec3 point = from + (-b - h) * ray, normal = (point - vCentre) / vRadius;
    vec3 world = (cameraWorld * vec4(point, 1.0)).xyz;
    bool section = false;
    if (isCut(world)) {
        // Behind the cut the ray may enter the ball through the section.
        vec3 origin = (cameraWorld * vec4(from, 1.0)).xyz, direction = mat3(cameraWorld) * ray;
        float t = (cut.w - dot(cut.xyz, origin)) / dot(cut.xyz, direction);
        if (!(t > -b - h && t < -b + h)) discard;
        point = from + t * ray;
        world = origin + t * direction;
        section = true;
    }
    vec4 clip = projectionMatrix * vec4(point, 1.0);
    gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
    if (pass == 1) { color = number(vBody); return; }
    if (pass == 2) { color = vec4(1.0); return; }
    vec3 n = section ? cut.xyz : mat3(cameraWorld) * normal, toEye = -(mat3(cameraWorld) * ray), base = vTint;
    if (!section && mark > 0.0) {
        vec3 local = turned(vec4(-vTurn.xyz, vTurn.w), n);
        float d = local.z / max(fwidth(local.z), 1e-4), far = 1.0 - smoothstep(0.05, 0.25, fwidth(local.z));
        base = mix(base, base * 0.78, mark * far * (1.0 - smoothstep(-0.5, 0.5, abs(local.z) - 0.16 + 0.0 * d)));
    }
    vec3 shaded = shade(base, world, n, toEye);
    if (section) shaded = mix(shaded, edge, 0.06);
    color = vec4(shaded, opacity * cover);
}`;

/** Small balls: points with the shading of a ball, one vertex each; their depth is that of the centre. */
export const smallBallVertex = /* glsl */ `${vertexCommon}
in vec3 position; // of the ball in the frame of its body
in float radius;
in int body;
out vec3 vTint;
flat out vec3 vCentre;
flat out int vBody;
void main() {
    vec4 p = texelFetch(placeMap, cell(body), 0);
    vCentre = p.xyz + turned(texelFetch(turnMap, cell(body), 0), position) + image;
    vTint = tintOf(body).rgb;
    vBody = body;
    gl_Position = p.w > 0.5 ? projectionMatrix * viewMatrix * vec4(vCentre, 1.0) : nowhere;
    gl_PointSize = radius * projectionMatrix[1][1] * viewport.y / gl_Position.w;
}`;

export const smallBallFragment = /* glsl */ `${fragmentCommon}
uniform mat4 cameraWorld;
uniform vec3 eye;
in vec3 vTint;
flat in vec3 vCentre;
flat in int vBody;
void main() {
    vec2 at = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
    float r = dot(at, at);
    if (r > 1.0) discard;
    if (pass == 1) { color = number(vBody); return; }
    if (pass == 2) { color = vec4(1.0); return; }
    vec3 n = mat3(cameraWorld) * vec3(at, sqrt(1.0 - r));
    if (shadows > 0.0) { color = vec4(shade(vTint, vCentre, n, normalize(eye - vCentre)), opacity); return; }
    // The same light without its finer parts: there is no GPU, or the balls are tiny.
    float key = max(dot(n, lightDirection), 0.0), sky = 0.5 + 0.5 * dot(n, up);
    color = vec4(vTint * sqrt(0.26 + 0.22 * sky + 0.62 * key), opacity);
}`;

/** Small discs of the plane: one point each. */
export const smallDiscVertex = /* glsl */ `${vertexCommon}
in vec3 position; // of the disc in the frame of its body
in float radius;
in int body;
out vec3 vTint;
flat out int vBody;
flat out float vPixels;
void main() {
    vec4 p = texelFetch(placeMap, cell(body), 0);
    vec3 at = p.xyz + turned(texelFetch(turnMap, cell(body), 0), position) + image;
    vPixels = radius * projectionMatrix[1][1] * 0.5 * viewport.y;
    vTint = tintOf(body).rgb;
    vBody = body;
    gl_Position = p.w > 0.5 ? projectionMatrix * viewMatrix * vec4(at, 1.0) : nowhere;
    gl_PointSize = 2.0 * (vPixels + 1.0);
}`;

export const smallDiscFragment = /* glsl */ `${fragmentCommon}
uniform float rims;
in vec3 vTint;
flat in int vBody;
flat in float vPixels;
void main() {
    float inside = vPixels - length(2.0 * gl_PointCoord - 1.0) * (vPixels + 1.0);
    if (inside < -0.5) discard;
    if (pass == 1) { if (inside < 0.0) discard; color = number(vBody); return; }
    float wide = min(rims, 0.18 * vPixels);
    vec3 c = mix(vTint, edge, 0.85 * (1.0 - smoothstep(wide - 0.5, wide + 0.5, inside)) * step(1.5, vPixels));
    color = vec4(c, opacity * clamp(inside + 0.5, 0.0, 1.0));
}`;

/** A picture that the page itself has drawn: one triangle over everything. */
export const splatVertex = /* glsl */ `${common}
in vec3 position;
void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }`;

/** Its first row is the topmost. */
const splatAt = /* glsl */ `
ivec2 at() { return ivec2(gl_FragCoord.x, textureSize(colorMap, 0).y - 1 - int(gl_FragCoord.y)); }
`;

export const splatFragment = /* glsl */ `${common}
uniform mat4 projectionMatrix;
uniform sampler2D colorMap;
uniform highp sampler2D depthMap; // distance before the eye, m
uniform int hasDepth;
layout(location = 0) out vec4 color;
${splatAt}
void main() {
    color = texelFetch(colorMap, at(), 0);
    if (color.a == 0.0) discard;
    float far = hasDepth == 1 ? texelFetch(depthMap, at(), 0).r : 1.0;
    gl_FragDepth = hasDepth == 1 ? 0.5 * (projectionMatrix[3][2] / far - projectionMatrix[2][2]) + 0.5 : 0.5;
}`;

export const flatSplatFragment = /* glsl */ `${common}
uniform sampler2D colorMap;
layout(location = 0) out vec4 color;
${splatAt}
void main() { color = texelFetch(colorMap, at(), 0); }`;

/** Discs of the plane. */
export const discVertex = /* glsl */ `${vertexCommon}${corner}
in vec3 place;
in float radius;
in int body;
out vec2 vAt;
out vec3 vTint, vPoint;
flat out int vBody;
flat out float vPixels;
void main() {
    vec4 p = texelFetch(placeMap, cell(body), 0);
    vec4 q = texelFetch(turnMap, cell(body), 0);
    vPixels = radius * projectionMatrix[1][1] * 0.5 * viewport.y;
    float grow = 1.0 + 1.0 / max(vPixels, 1.0);
    vAt = corner() * grow;
    vPoint = p.xyz + turned(q, place + vec3(radius * vAt, 0.0)) + image;
    vTint = tintOf(body).rgb;
    vBody = body;
    gl_Position = p.w > 0.5 ? projectionMatrix * viewMatrix * vec4(vPoint, 1.0) : nowhere;
}`;

export const discFragment = /* glsl */ `${fragmentCommon}
uniform float mark;
uniform float rims;
in vec2 vAt;
in vec3 vTint, vPoint;
flat in int vBody;
flat in float vPixels;
void main() {
    float r = length(vAt), inside = (1.0 - r) * vPixels;
    if (inside < -0.5) discard;
    if (pass == 1) { if (inside < 0.0) discard; color = number(vBody); return; }
    vec3 c = vTint;
    if (mark > 0.0 && vPixels > 4.0) {
        float line = 1.0 - smoothstep(0.3, 1.3, abs(vAt.y) * vPixels);
        if (vAt.x > 0.25) c = mix(c, edge, 0.5 * mark * line);
    }
    float wide = min(rims, 0.18 * vPixels);
    c = mix(c, edge, 0.85 * (1.0 - smoothstep(wide - 0.5, wide + 0.5, inside)) * step(1.5, vPixels));
    color = vec4(c, opacity * clamp(inside + 0.5, 0.0, 1.0));
}`;

/** Lines with a width in metres or pixels: chains of forces, tracks, thin walls, arrows. body < 0: given in space. */
export const ribbonVertex = /* glsl */ `${vertexCommon}${corner}
in vec3 from, to;
in vec4 paint;  // colour and opacity
in vec2 width;  // half width in m, least half width in pixels
in int body;
in int owner;   // number for picking
uniform float lift; // towards the eye, share of depth
out vec4 vPaint;
out vec2 vAt;
out vec3 vPoint;
flat out float vHalf, vLength;
flat out int vOwner;
void main() {
    vec2 position = corner(); // x along: below 0 at the start; y across
    vec3 a = from, b = to;
    float there = 1.0;
    if (body >= 0) {
        vec4 p = texelFetch(placeMap, cell(body), 0);
        vec4 q = texelFetch(turnMap, cell(body), 0);
        a = p.xyz + turned(q, a), b = p.xyz + turned(q, b), there = p.w;
    }
    a += image, b += image;
    vec4 ca = projectionMatrix * viewMatrix * vec4(a, 1.0), cb = projectionMatrix * viewMatrix * vec4(b, 1.0);
    // A line through the plane of the eye is cut there.
    const float near = 1e-5;
    if (ca.w < near && cb.w < near) { gl_Position = nowhere; return; }
    if (ca.w < near) ca = mix(ca, cb, (near - ca.w) / (cb.w - ca.w));
    if (cb.w < near) cb = mix(cb, ca, (near - cb.w) / (ca.w - cb.w));
    vec2 half_ = 0.5 * viewport, sa = ca.xy / ca.w * half_, sb = cb.xy / cb.w * half_, along = sb - sa;
    vLength = length(along);
    along = vLength > 1e-4 ? along / vLength : vec2(1.0, 0.0);
    vec4 c = position.x < 0.0 ? ca : cb;
    vHalf = max(width.x * projectionMatrix[1][1] * half_.y / c.w, width.y);
    float reach = vHalf + 1.0;
    vec2 offset = along * (position.x < 0.0 ? -reach : reach) + vec2(-along.y, along.x) * position.y * reach;
    vAt = vec2(position.x < 0.0 ? -reach : vLength + reach, position.y * reach);
    vPaint = paint;
    vOwner = owner;
    vPoint = position.x < 0.0 ? a : b;
    c.xy += offset / half_ * c.w;
    c.z -= lift * c.w;
    gl_Position = there > 0.5 && paint.a > 0.0 ? c : nowhere;
}`;

export const ribbonFragment = /* glsl */ `${fragmentCommon}
in vec4 vPaint;
in vec2 vAt;
in vec3 vPoint;
flat in float vHalf, vLength;
flat in int vOwner;
void main() {
    if (isCut(vPoint)) discard;
    float along = vAt.x < 0.0 ? vAt.x : max(vAt.x - vLength, 0.0);
    float far = length(vec2(along, vAt.y)), inside = vHalf - far;
    if (inside < -0.5) discard;
    if (pass == 1) { if (vOwner < 0) discard; color = number(vOwner); return; }
    if (pass == 2) { if (inside < 0.0) discard; color = vec4(1.0); return; }
    float across = clamp(vAt.y / max(vHalf, 0.5), -1.0, 1.0), round_ = lit > 0.0 ? 0.62 + 0.38 * sqrt(1.0 - across * across) : 1.0;
    color = vec4(vPaint.rgb * round_, vPaint.a * clamp(inside + 0.5, 0.0, 1.0));
}`;

/** Dots of a size in pixels, at points of space: contacts. */
export const dotVertex = /* glsl */ `${vertexCommon}
in vec3 at;
in vec4 paint;
in float size; // half, pixels
in int owner;
uniform float lift;
out vec4 vPaint;
out vec3 vPoint;
flat out float vSize;
flat out int vOwner;
void main() {
    vec4 c = projectionMatrix * viewMatrix * vec4(at + image, 1.0);
    gl_PointSize = 2.0 * (size + 1.0);
    vSize = size;
    vPaint = paint;
    vOwner = owner;
    vPoint = at + image;
    c.z -= lift * c.w;
    gl_Position = c.w > 0.0 ? c : nowhere;
}`;

export const dotFragment = /* glsl */ `${fragmentCommon}
in vec4 vPaint;
in vec3 vPoint;
flat in float vSize;
flat in int vOwner;
void main() {
    if (isCut(vPoint)) discard;
    float inside = vSize - length(2.0 * gl_PointCoord - 1.0) * (vSize + 1.0);
    if (inside < -0.5) discard;
    if (pass == 1) { color = number(vOwner); return; }
    // A rim of paper, unless the dot is too small for one.
    vec3 c = mix(paper, vPaint.rgb, max(smoothstep(0.6, 1.6, inside), 1.0 - smoothstep(2.6, 3.4, vSize)));
    color = vec4(c, vPaint.a * clamp(inside + 0.5, 0.0, 1.0));
}`;

/** Ground: the solid side of a line (2D, hatched) or of a plane (3D, with a grid that fades out). */
export const groundVertex = /* glsl */ `${vertexCommon}
in vec3 position; // in the frame of the body, large
in vec3 normal;
in vec3 local;    // in the frame of the plane
in int body;
out vec3 vPoint, vLocal, vTint, vNormal;
flat out int vBody;
void main() {
    vec4 p = texelFetch(placeMap, cell(body), 0);
    vec4 q = texelFetch(turnMap, cell(body), 0);
    vPoint = p.xyz + turned(q, position) + image;
    vLocal = local;
    vNormal = turned(q, normal);
    vTint = tintOf(body).rgb;
    vBody = body;
    gl_Position = p.w > 0.5 ? projectionMatrix * viewMatrix * vec4(vPoint, 1.0) : nowhere;
}`;

const groundInSpace = /* glsl */ `    if (isCut(vPoint)) discard;
    // A floor runs out into the paper; a wall is a pane about the bodies, and nothing when seen from behind.
    vec3 n = normalize(vNormal), toEye = normalize(eye - vPoint), away = vPoint - middle;
    bool floor_ = dot(n, up) > 0.6, behind = dot(n, toEye) < 0.0;
    away -= n * dot(away, n);
    vec3 over = max(boxLow - vPoint, vPoint - boxHigh) / reach;
    float far = length(away) / reach, out_ = max(over.x, max(over.y, over.z));
    float fade = floor_ ? 1.0 - smoothstep(0.35, 1.6, far) : 0.34 * (1.0 - smoothstep(0.02, 0.024, out_));
    if (fade <= 0.003 || (behind && (!floor_ || pass == 1))) discard;
    if (pass == 1) { if (fade < 0.1) discard; color = number(vBody); return; }
    vec2 at = vLocal.xy / grid, line = abs(fract(at - 0.5) - 0.5) / max(fwidth(at), vec2(1e-6));
    float lines = (1.0 - smoothstep(0.0, 1.2, min(line.x, line.y))) * (1.0 - smoothstep(0.2, 0.6, max(fwidth(at).x, fwidth(at).y)));
    vec3 c = shade(mix(mix(vTint, paper, floor_ ? 0.35 : 0.0), edge, 0.14 * lines), vPoint, n, toEye);
    color = vec4(c, behind ? 0.2 * fade : fade);`;

const groundInPlane = /* glsl */ `    if (pass == 1) { color = number(vBody); return; }
    float below = -vLocal.y / max(fwidth(vLocal.y), 1e-9); // pixels
    float hatch = abs(fract((gl_FragCoord.x - gl_FragCoord.y) / 9.0) - 0.5) * 9.0;
    float band = 1.0 - smoothstep(14.0, 20.0, below);
    vec3 c = mix(paper, vTint, 0.32);
    c = mix(c, ink, 0.4 * band * (1.0 - smoothstep(0.4, 1.2, hatch)));
    c = mix(c, ink, 0.8 * (1.0 - smoothstep(1.2, 2.2, below)));
    color = vec4(c, 1.0);`;

/** Code of space or of the plane alone: in software what is not taken costs as much. */
export const groundFragment = (three: boolean) => /* glsl */ `${fragmentCommon}
uniform vec3 eye;
uniform vec3 middle; // of what there is to see
uniform float reach; // m
uniform vec3 boxLow, boxHigh;
uniform float grid;  // m between lines
uniform vec3 ink;
in vec3 vPoint, vLocal, vTint, vNormal;
flat in int vBody;
void main() {
    if (pass == 2) discard; // ground throws no shadow on itself
${three ? groundInSpace : groundInPlane}
}`;
