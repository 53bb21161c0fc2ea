/** An address to scan with a phone, or to print. */
import { encode } from "uqr";

/** Dark on light in both themes, with the light border that scanners need: four modules (ISO/IEC 18004). */
export const QrCode = ({ label, text }: { readonly label: string; readonly text: string }) => {
  const { size, data } = encode(text, { ecc: "M", border: 4 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join("")} fill="#000" />
    </svg>
  );
};
