// Every measure of the frame, in millimetres. The other files include this one.
pitch = 75;            // tile to tile
columns = 6;
rows = 5;
tile = 65;             // the game's own tile
tile_gap = 0.6;        // room around it, all told
tile_thick = 2;        // cardboard
rib = pitch - tile;    // between two tiles

plate = 1.5;           // top plate between coil and tile
air = 0.8;             // between tile board and top plate: flat solder joints
board_x = 62;          // tile board
board_up = 29;         // from the coil's centre to its upper edge
board_down = 45;       // and to its lower edge: the strip under the rib
board_thick = 1.6;
offset = (board_down - board_up) / 2;   // the board's middle lies this far below the tile's
board_play = 0.4;

module_depth = 20.5;   // tile board to PN5180 module, by the long pins
module_thick = 1.6;
module_x = -5.3;       // its left edge, from the coil's centre
module_wide = 37;
module_edge = 44.2;    // its edge beside the pins, from the coil's centre: 2.4 mm beyond the pin row
module_long = 67;
module_parts = 2;      // its parts below
notch = 1.8;           // what the cell's wall gives way for the module's edge; 0.6 mm stay
under_module = 24;     // row boards, plugs and cables lie below the modules
wall = 2.4;            // three lines of a 0.8 mm or six of a 0.4 mm nozzle
ledge = 2.5;           // what a tile board rests on
lamp = [17, 37];       // lamp on the tile board, from the coil's centre
lamp_hole = 5.6;
front = 8;             // the grid's edge nearest to the players is this much wider: the first row's lamps

deep = module_depth + module_thick + under_module;  // from the tile board's lower face to the base plate
skirt = deep + board_thick + air;                   // height of a cell below the top plate

base_plate = 6;
row_board = [158.75, 41.275];
row_height = 4;        // its nylon spacers
controller_board = [172.72, 99.695];
controller_height = 4;
bay = 112;             // width of the controller's bay, right of the cells
bay_wall = 2;
bay_high = 28;         // room under its cover

// bases under the pieces
tag = 13;              // diameter of the tag
tag_thick = 0.6;
tag_play = 0.4;
base_thick = 1.8;
base_roof = 0.6;       // over the tag: the piece stands on it; the tag goes in from below
base_floor = 0.6;      // from the tile to the tag's lower face

$fn = 64;
