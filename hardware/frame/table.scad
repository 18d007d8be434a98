// The whole table, for looking at: base plate, cells, tile boards, top plate, grid, tiles and some pieces.
// `open` lifts the layers apart; `cut` shows a single cell in section.
include <dimensions.scad>
use <cell.scad>
use <grid.scad>
use <base.scad>
use <bay.scad>
open = 0;
cut = false;

wood = [0.80, 0.66, 0.46];
print_colour = [0.55, 0.60, 0.66];
green = [0.10, 0.42, 0.25];
copper = [0.80, 0.50, 0.20];
blue = [0.12, 0.30, 0.62];
card = [0.93, 0.84, 0.62];
meeples = [[0.95, 0.80, 0.10], [0.96, 0.96, 0.92], [0.20, 0.62, 0.25], [0.15, 0.35, 0.75], [0.80, 0.12, 0.12]];

module ring(side) difference() { square(side, center = true); square(side - 2, center = true); }

module board() {
    color(green) translate([-board_x / 2, -board_down, 0]) cube([board_x, board_up + board_down, board_thick]);
    color(copper) translate([0, 0, board_thick + 0.02]) linear_extrude(0.2) ring(54);
    color([0.95, 0.95, 0.95]) translate([lamp[0] - 2.5, -lamp[1] - 2.5, board_thick]) cube([5, 5, 1.5]);
    color([0.15, 0.15, 0.15]) translate([-30.6, -42.8, -9]) cube([25.4, 9, 9]);
    color([0.15, 0.15, 0.15]) translate([-3.3, -43.1, -module_depth]) cube([33, 2.5, module_depth]);
    color(blue) translate([module_x, -module_edge, -module_depth - module_thick]) cube([module_wide, module_long, module_thick]);
    color([0.9, 0.9, 0.9]) translate([13, 16, -module_depth]) cylinder(d = 8, h = module_depth);
}

module row_board() {
    color(green) translate([-row_board[0] / 2, -row_board[1] / 2, row_height]) cube([row_board[0], row_board[1], 1.6]);
    color([0.15, 0.15, 0.15]) for (n = [0 : 5]) translate([-78.7 + n * 26.035, 10.2, row_height + 1.6]) cube([25, 9, 9]);
    color([0.15, 0.15, 0.15]) translate([-40, -20.4, row_height + 1.6]) cube([33, 9, 9]);
    color([0.25, 0.25, 0.28]) for (n = [0 : 4]) translate([-72 + n * 19, -5, row_height + 1.6]) cube([9, 4, 1.8]);
}

module meeple(colour) {
    color([0.85, 0.85, 0.85]) base("meeple");
    color(meeples[colour]) translate([0, 0, base_thick]) {
        cylinder(d1 = 12, d2 = 6, h = 11);
        translate([0, 0, 13]) sphere(d = 7);
    }
}

module one_cell(x, y, lifted) {
    translate([x * pitch, y * pitch, 0]) {
        color(print_colour) translate([0, -offset, 0]) cell();
        translate([0, 0, skirt - board_thick - air + lifted]) board();
    }
}

module table() {
    shift = [-(columns - 1) * pitch / 2, -(rows - 1) * pitch / 2, 0];
    color(wood) translate([-570 / 2 + 52, -400 / 2 - offset / 2, -6.3 - open / 2]) cube([570, 400, 6]);
    translate(shift) for (x = [0 : columns - 1]) for (y = [0 : rows - 1]) one_cell(x, y, open / 2);
    translate(shift) for (y = [0 : rows - 1]) translate([2.5 * pitch, y * pitch - offset, -open / 3]) row_board();
    // controller bay at the right, its cover lifted with the top plate
    translate([columns * pitch / 2 + 6, -controller_board[0] / 2 - offset, -open / 3]) {
        color(green) translate([0, 0, controller_height]) cube([controller_board[1], controller_board[0], 1.6]);
        color([0.7, 0.7, 0.75]) translate([42, 2, 14]) cube([21, 51, 2]);
        color([0.15, 0.15, 0.15]) for (n = [0 : 4]) translate([2, 1 + n * 34.3, controller_height + 1.6]) cube([9, 33, 9]);
        color([0.85, 0.85, 0.80]) for (x = [0 : 1]) for (y = [0 : 2]) translate([67 + x * 11, 57 + y * 32, controller_height + 1.6]) cube([9, 25, 10]);
    }
    color(print_colour, open > 0 ? 0.45 : 1) translate([columns * pitch / 2 + 1, -offset, open * 0.9]) cover();
    translate([0, 0, skirt + open]) color([0.75, 0.85, 0.90], open > 0 ? 0.5 : 1)
        translate([-460 / 2, -390 / 2 - front / 2, 0]) cube([460, 390, plate]);
    translate([0, 0, skirt + plate + open * 1.4]) color(wood) translate(shift) grid(columns, rows, true);
    translate([0, 0, skirt + plate + open * 1.8]) translate(shift)
        for (x = [0 : columns - 1]) for (y = [0 : rows - 1]) translate([x * pitch, y * pitch, 0]) {
            color(card) translate([-tile / 2, -tile / 2, 0]) cube([tile, tile, tile_thick - 0.1]);
            for (n = [0 : 2]) translate([(n - 1) * 17, ((x + n * 2 + y) % 3 - 1) * 14, tile_thick]) meeple((x * 2 + y + n) % 5);
        }
}

module section() {
    difference() {
        union() {
            one_cell(0, 0, 0);
            color(wood) translate([-pitch / 2, -pitch / 2 - offset, -6]) cube([pitch, pitch, 6]);
            color([0.75, 0.85, 0.90]) translate([-pitch / 2, -pitch / 2, skirt]) cube([pitch, pitch, plate]);
            translate([0, 0, skirt + plate]) { color(wood) grid(1, 1, true);
                color(card) translate([-tile / 2, -tile / 2, 0]) cube([tile, tile, tile_thick - 0.1]); }
        }
        translate([0, -pitch, -50]) cube([pitch, 2 * pitch, 200]);
    }
    for (n = [0 : 1]) translate([-18, n * 20 - 6, skirt + plate + tile_thick]) meeple(n * 3);
}

if (cut) section(); else table();
