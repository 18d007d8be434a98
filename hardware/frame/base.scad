// The base under a piece: a disc with a pocket for the tag in its lower face. The piece stands on a closed roof, with its whole
// foot: a pocket that is open at the top would leave it a rim of 0.8 mm. A paper disc or a drop of glue holds the tag.
// `piece` is "meeple", "camel", "palm" or "palace". Printed roof down, without supports.
include <dimensions.scad>
piece = "meeple";

// The outline keeps neighbours' tags at a distance; its shape tells the kinds apart by touch.
function diameter(piece) = piece == "palm" || piece == "palace" ? 16 : 15;

module outline(piece) {
    d = diameter(piece);
    if (piece == "camel")        // a camel is longer than wide
        hull() for (end = [-1, 1]) translate([end * 3.5, 0]) circle(d = d);
    else if (piece == "palace")  // an octagon
        rotate(22.5) circle(d = d / cos(22.5), $fn = 8);
    else if (piece == "palm")    // a disc with four notches
        difference() { circle(d = d); for (turn = [0 : 90 : 270]) rotate(turn + 45) translate([d / 2 + 0.3, 0]) circle(d = 2); }
    else
        circle(d = d);
}

module base(piece) {
    difference() {
        union() {
            linear_extrude(base_thick - 0.4) outline(piece);
            // a small chamfer at the top
            translate([0, 0, base_thick - 0.4]) linear_extrude(0.4, scale = 0.96) outline(piece);
        }
        // the tag's pocket, from below up to the roof; the tag lies flat against the roof
        translate([0, 0, -1]) cylinder(d = tag + tag_play, h = base_thick - base_roof + 1);
    }
}

base(piece);
