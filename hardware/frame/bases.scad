// The four bases side by side, for looking at.
include <dimensions.scad>
use <base.scad>

kinds = ["meeple", "camel", "palm", "palace"];
for (n = [0 : 3]) translate([(n - 1.5) * 32, 0, 0]) {
    color([0.80, 0.82, 0.86]) base(kinds[n]);
    // the same turned over, its tag above the pocket
    translate([0, 26, 0]) {
        color([0.80, 0.82, 0.86]) translate([0, 0, base_thick]) rotate([180, 0, 0]) base(kinds[n]);
        color([0.90, 0.65, 0.30]) translate([0, 0, base_thick + 5]) difference() {
            cylinder(d = tag, h = tag_thick);
            translate([0, 0, tag_thick - 0.2]) cylinder(d = tag - 4, h = 1);
        }
    }
}
