// One piece of the grid that lies on the top plate: ribs around the tiles, recesses for them, a light hole per tile in the rib.
// Glued on the top plate. `nx` by `ny` tiles; `edge` true for the row nearest to the players, whose rib is wider.
// The whole is 6 x 5 tiles: three pieces of 2 x 1 with the edge and six of 2 x 2.
include <dimensions.scad>
nx = 2;
ny = 2;
edge = false;

module grid(nx, ny, edge) {
    wider = edge ? front : 0;
    difference() {
        translate([-pitch / 2, -pitch / 2 - wider, 0]) cube([nx * pitch, ny * pitch + wider, tile_thick]);
        for (x = [0 : nx - 1]) for (y = [0 : ny - 1]) translate([x * pitch, y * pitch, 0]) {
            translate([-(tile + tile_gap) / 2, -(tile + tile_gap) / 2, -1]) cube([tile + tile_gap, tile + tile_gap, tile_thick + 2]);
            // finger notch, to lift a tile
            translate([-10, -(tile + tile_gap) / 2, -1]) cylinder(d = 7, h = tile_thick + 2);
        }
        // the lamps; a lamp lies below its tile, so a piece without the edge has the holes of the row behind it
        for (x = [0 : nx - 1]) for (y = [0 : ny]) translate([x * pitch + lamp[0], y * pitch - lamp[1], -1])
            cylinder(d = lamp_hole, h = tile_thick + 2);
    }
}

grid(nx, ny, edge);
