// A cursor that all charts share: pointing at one shows the values of all at that time.
(() => {
  const charts = [...document.querySelectorAll(".chart")].map((figure) => ({
    figure,
    svg: figure.querySelector("svg"),
    cursor: figure.querySelector(".cursor"),
    data: JSON.parse(document.getElementById(figure.id + "-data").textContent),
    box: null,
  }));
  const number = (v) => (v === null ? "–" : Math.abs(v) >= 1e5 || (v !== 0 && Math.abs(v) < 1e-3) ? v.toExponential(2) : String(v));
  const unit = (text) => text.replace(/\^\{(.*?)\}/g, (_, n) => [...n].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] || "⁻").join(""));
  const nearest = (list, t) => {
    let low = 0, high = list.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] < t) low = middle + 1; else high = middle;
    }
    return low > 0 && t - list[low - 1] < list[low] - t ? low - 1 : low;
  };
  const show = (time, active) => {
    for (const chart of charts) {
      const { data, svg, cursor, figure } = chart;
      if (!data.t.length) continue;
      const k = nearest(data.t, time), [left, right, from, to] = data.x;
      const x = left + ((data.t[k] - from) / (to - from)) * (right - left);
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
      cursor.setAttribute("visibility", "visible");
      if (!chart.box) {
        chart.box = document.createElement("div");
        chart.box.className = "readout";
        figure.append(chart.box);
      }
      chart.box.hidden = false;
      chart.box.replaceChildren();
      const line = (text, color) => {
        const row = document.createElement("div");
        if (color) {
          const dot = document.createElement("i");
          dot.className = "b" + color;
          row.append(dot);
        }
        row.append(text);
        chart.box.append(row);
        return row;
      };
      if (chart === active) line("t = " + number(data.t[k]) + " s");
      for (const series of data.series) {
        const row = line(data.series.length > 1 ? series.label + " " : "", series.color), value = document.createElement("b");
        value.textContent = number(series.y[k]) + (data.unit ? " " + unit(data.unit) : "");
        row.append(value);
      }
      const scale = svg.clientWidth / svg.viewBox.baseVal.width, at = x * scale;
      const flip = at > svg.clientWidth / 2;
      chart.box.style.left = flip ? "auto" : at + 24 + "px";
      chart.box.style.right = flip ? svg.clientWidth - at + 24 + "px" : "auto";
    }
  };
  const hide = () => {
    for (const { cursor, box } of charts) {
      cursor.setAttribute("visibility", "hidden");
      if (box) box.hidden = true;
    }
  };
  for (const chart of charts) {
    chart.svg.addEventListener("pointermove", (event) => {
      const frame = chart.svg.getBoundingClientRect(), [left, right, from, to] = chart.data.x;
      const x = ((event.clientX - frame.left) / frame.width) * chart.svg.viewBox.baseVal.width;
      show(from + ((x - left) / (right - left)) * (to - from), chart);
    });
    chart.svg.addEventListener("pointerleave", hide);
  }
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => (d.open = true)));
})();
