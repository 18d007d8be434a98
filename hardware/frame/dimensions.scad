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
under_module = 24;     // row boards, plugs and cables lie below the modules
wall = 2.4;            // three lines of a 0.8 mm or six of a 0.4 mm nozzle
ledge = 2.5;           // what a tile board rests on
lamp = [17, 37];       // lamp on the tile board, from the coil's centre
lamp_hole = 5.6;
front = 8;             // the grid's edge nearest to the players is this much wider: the first row's lamps

deep = module_depth + module_thick + under_module;  // from the tile board's lower face to the base plate
skirt = deep + board_thick + air;                   // height of a cell below the top plate

// bases under the pieces
tag = 13;              // diameter of the tag
tag_thick = 0.6;
tag_play = 0.4;
base_thick = 2.0;
base_floor = 0.6;      // between tag and tile

$fn = 64;
