// The controller's bay: a cover with walls on three sides, open towards the cells, where the row cables come in; and the block
// that takes the pull off a cable. `part` is "cover" or "relief". The cover prints upside down.
include <dimensions.scad>
part = "cover";

bay_long = controller_board[0] + 28;

module cover() {
    difference() {
        translate([0, -bay_long / 2, 0]) cube([bay - 2, bay_long, bay_high + bay_wall]);
        translate([-1, -bay_long / 2 + bay_wall, -1]) cube([bay - 1 - bay_wall, bay_long - 2 * bay_wall, bay_high + 1]);
        // USB plug and supply cable through the wall nearest to the players, each above its strain relief
        translate([60, -bay_long / 2 - 1, -1]) cube([40, bay_wall + 2, 17]);
        // air
        for (n = [0 : 7]) translate([20 + n * 10, -30, bay_high - 1]) cube([3, 60, bay_wall + 2]);
    }
    // corner posts for the screws from below
    for (y = [-1, 1]) translate([bay - 2 - bay_wall - 8, y * (bay_long / 2 - bay_wall - 4) - 4, 0]) difference() {
        cube([8, 8, bay_high]);
        translate([4, 4, -1]) cylinder(d = 2.7, h = 13);
    }
}

module relief() {
    difference() {
        translate([-15, -5, 0]) cube([30, 10, 9]);
        // the cable's groove, the tie's tunnel across it, two screws
        translate([0, 6, 9]) rotate([90, 0, 0]) cylinder(d = 6, h = 12);
        translate([-6, -1.8, 3]) cube([12, 3.6, 1.8]);
        for (x = [-6, 4.2]) translate([x, -1.8, 3]) cube([1.8, 3.6, 7]);
        for (x = [-11.5, 11.5]) translate([x, 0, -1]) cylinder(d = 3.2, h = 11);
    }
}

if (part == "cover") cover(); else relief();
