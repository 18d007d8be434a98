// One cell of the frame: carries one tile board, leaves room for its module, lets cables through on all four sides.
// Origin under the middle of the tile board. A tile's centre is `offset` above it: the boards' strips lie under the ribs.
// Print as it stands or upside down; the cable ways bridge 44 mm, the ledges slope at 45 degrees: no supports.
include <dimensions.scad>

module cell() {
    inside = pitch - 2 * wall;
    below = skirt - board_thick - air;      // the board's lower face
    difference() {
        translate([-pitch / 2, -pitch / 2, 0]) cube([pitch, pitch, skirt]);
        // the room for the module and the cables
        translate([-inside / 2, -inside / 2, -1]) cube([inside, inside, skirt + 2]);
        // where the board lies: it runs on into the neighbour's wall, 1 mm from the next board
        translate([-(board_x + board_play) / 2, -pitch / 2 - 1, below]) cube([board_x + board_play, pitch + 2, board_thick + air + 1]);
        // cable ways through all four walls at the base plate
        for (turn = [0, 90]) rotate([0, 0, turn]) translate([-22, -pitch, -1]) cube([44, 2 * pitch, 25]);
        // the module's edge beside its pins; sloped above, so that it prints without supports
        translate([module_x - 1, -inside / 2 - notch, under_module - module_parts - 1]) hull() {
            cube([module_wide + 2, notch + 1, module_parts + module_thick + 2]);
            translate([0, notch, 0]) cube([module_wide + 2, 1, module_parts + module_thick + 2 + notch]);
        }
    }
    // ledges along the two sides of the tile board, but not beside its strip: plug and long pins hang there
    for (side = [0, 1]) mirror([side, 0, 0])
        translate([0, inside / 2, 0]) rotate([90, 0, 0]) linear_extrude(inside / 2 + board_up - offset - 1)
            polygon([[board_x / 2 - ledge, below], [pitch / 2 - wall, below], [pitch / 2 - wall, below - 8]]);
    // rims beside the board, up to the top plate
    for (side = [0, 1]) mirror([side, 0, 0])
        translate([(board_x + board_play) / 2, -inside / 2, below]) cube([pitch / 2 - wall - (board_x + board_play) / 2, inside, board_thick + air]);
    // feet: screwed to the base plate from below
    for (corner = [-1, 1])
        translate([corner * (pitch / 2 - wall - 4.5), corner * (pitch / 2 - wall - 4.5), 0])
            difference() {
                translate([-4.6, -4.6, 0]) cube([9.2, 9.2, 9]);
                translate([0, 0, -1]) cylinder(d = 2.7, h = 9);
            }
}

cell();
