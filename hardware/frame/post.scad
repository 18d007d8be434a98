// The post that holds the far end of a module: glued between module and tile board, inside the coil, where no metal may be.
include <dimensions.scad>

module post() {
    difference() {
        cylinder(d = 8, h = module_depth);
        translate([0, 0, -1]) cylinder(d = 3, h = module_depth + 2);
    }
}

post();
