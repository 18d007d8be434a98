"""The tile board as a KiCad board: pads, coil, tracks, poured ground, names on the silk screen; design rules checked; Gerbers plotted.

Runs with the Python that KiCad's `pcbnew` belongs to: `/usr/bin/python3 -m hardware.pcb.tile_pcb TRACKS FOLDER`, where TRACKS
is what the router kept. Fails on a design rule error, an unconnected pad or an empty Gerber file.
"""

import sys
from pathlib import Path

import pcbnew

from hardware.circuit.boards import BOARDS
from hardware.circuit.parts import KINDS
from hardware.pcb import layout
from hardware.pcb.judge import faults
from hardware.pcb.layout import BACK, BOTH, FRONT
from hardware.pcb.route import CLEARANCE, VIA, VIA_DRILL, Laid, load

ORIGIN = (60.0, 60.0)  # where the coil's centre lies on the sheet
LAYERS = {FRONT: pcbnew.F_Cu, BACK: pcbnew.B_Cu}
PLOTS = (
    ("F_Cu", pcbnew.F_Cu),
    ("B_Cu", pcbnew.B_Cu),
    ("F_Mask", pcbnew.F_Mask),
    ("B_Mask", pcbnew.B_Mask),
    ("F_Paste", pcbnew.F_Paste),
    ("B_Paste", pcbnew.B_Paste),
    ("F_Silkscreen", pcbnew.F_SilkS),
    ("B_Silkscreen", pcbnew.B_SilkS),
    ("Edge_Cuts", pcbnew.Edge_Cuts),
)


def mm(value: float) -> int:
    return int(pcbnew.FromMM(value))


def at(x: float, y: float) -> pcbnew.wxPoint:
    return pcbnew.wxPoint(mm(ORIGIN[0] + x), mm(ORIGIN[1] + y))


class Sheet:
    def __init__(self) -> None:
        self.board = pcbnew.CreateEmptyBoard()
        settings = self.board.GetDesignSettings()
        settings.m_MinClearance = mm(0.2)
        settings.m_TrackMinWidth = mm(0.25)
        settings.m_CopperEdgeClearance = mm(0.3)
        self.nets = {}
        for name in BOARDS["tile"].nets:
            self.nets[name] = pcbnew.NETINFO_ITEM(self.board, name)
            self.board.Add(self.nets[name])

    def line(self, layer: int, a: tuple[float, float], b: tuple[float, float], width: float = 0.1) -> None:
        shape = pcbnew.PCB_SHAPE(self.board)
        shape.SetShape(pcbnew.SHAPE_T_SEGMENT)
        shape.SetLayer(layer)
        shape.SetWidth(mm(width))
        shape.SetStart(at(*a))
        shape.SetEnd(at(*b))
        self.board.Add(shape)

    def text(
        self, words: str, x: float, y: float, front: bool, size: float = 0.9, turned: bool = False
    ) -> None:
        item = pcbnew.PCB_TEXT(self.board)
        item.SetText(words)
        item.SetLayer(pcbnew.F_SilkS if front else pcbnew.B_SilkS)
        item.SetPosition(at(x, y))
        item.SetTextSize(pcbnew.wxSize(mm(size), mm(size)))
        item.SetTextThickness(mm(size * 0.16))
        item.SetMirrored(not front)
        if turned:
            item.SetTextAngle(900)
        self.board.Add(item)

    def outline(self) -> None:
        corners = [
            (layout.LEFT, layout.TOP),
            (layout.RIGHT, layout.TOP),
            (layout.RIGHT, layout.BOTTOM),
            (layout.LEFT, layout.BOTTOM),
        ]
        for k in range(4):
            self.line(pcbnew.Edge_Cuts, corners[k], corners[(k + 1) % 4])
        for n, (x, y) in enumerate(layout.HOLES, 1):
            part = pcbnew.FOOTPRINT(self.board)
            part.SetReference(f"H{n}")
            part.SetPosition(at(x, y))
            hole = pcbnew.PAD(part)
            hole.SetAttribute(pcbnew.PAD_ATTRIB_NPTH)
            hole.SetShape(pcbnew.PAD_SHAPE_CIRCLE)
            hole.SetSize(pcbnew.wxSize(mm(layout.HOLE), mm(layout.HOLE)))
            hole.SetDrillSize(pcbnew.wxSize(mm(layout.HOLE), mm(layout.HOLE)))
            hole.SetLayerSet(hole.UnplatedHoleMask())
            hole.SetPosition(at(x, y))
            hole.SetLocalCoord()
            part.Add(hole)
            part.Reference().SetVisible(False)
            self.board.Add(part)

    def parts(self) -> None:
        for reference, kind in BOARDS["tile"].parts.items():
            own = [pad for pad in layout.pads() if pad.reference == reference]
            part = pcbnew.FOOTPRINT(self.board)
            part.SetReference(reference)
            part.SetValue(KINDS[kind].what)
            x, y = own[0].x, own[0].y
            part.SetPosition(at(x, y))
            if reference == "L1":
                part.SetKeywords("net tie")  # the coil joins its two ends: on purpose
            part.SetAttributes(pcbnew.FP_THROUGH_HOLE if own[0].drill else pcbnew.FP_SMD)
            for pad in own:
                part.Add(self.pad(part, pad))
            part.Reference().SetVisible(False)
            part.Value().SetVisible(False)
            self.board.Add(part)

    def pad(self, part: pcbnew.FOOTPRINT, pad: layout.Pad) -> pcbnew.PAD:
        item = pcbnew.PAD(part)
        item.SetNumber(str(pad.number))
        item.SetSize(pcbnew.wxSize(mm(pad.width), mm(pad.height)))
        if pad.layer == BOTH:
            item.SetAttribute(pcbnew.PAD_ATTRIB_PTH)
            item.SetDrillSize(pcbnew.wxSize(mm(pad.drill), mm(pad.drill)))
            first = pad.number == 1 and len(layout.SPOTS.get(pad.reference, layout.SPOTS["J2"]).pads) > 2
            item.SetShape(pcbnew.PAD_SHAPE_RECT if first else pcbnew.PAD_SHAPE_CIRCLE)
            item.SetLayerSet(item.PTHMask())
        else:
            item.SetAttribute(pcbnew.PAD_ATTRIB_SMD)
            item.SetShape(pcbnew.PAD_SHAPE_RECT)
            layers = item.SMDMask()
            item.SetLayerSet(layers if pad.layer == FRONT else pcbnew.FlipLayerMask(layers))
        if pad.net:
            item.SetNet(self.nets[pad.net])
        item.SetPosition(at(pad.x, pad.y))
        item.SetLocalCoord()
        return item

    def copper(self, laid: Laid) -> None:
        for track in laid.tracks:
            item = pcbnew.PCB_TRACK(self.board)
            item.SetStart(at(*track.a))
            item.SetEnd(at(*track.b))
            item.SetWidth(mm(track.width))
            item.SetLayer(LAYERS[track.layer])
            item.SetNet(self.nets[track.net])
            self.board.Add(item)
        for via in laid.vias:
            item = pcbnew.PCB_VIA(self.board)
            item.SetPosition(at(via.x, via.y))
            item.SetWidth(mm(VIA))
            item.SetDrill(mm(VIA_DRILL))
            item.SetNet(self.nets[via.net])
            self.board.Add(item)

    def ground(self) -> None:
        """Ground on both faces of the strip; never inside or near the coil."""
        edge = 0.5
        left, right = layout.LEFT + edge, layout.RIGHT - edge
        corners = [
            (left, layout.GROUND_TOP),
            (right, layout.GROUND_TOP),
            (right, layout.BOTTOM - edge),
            (left, layout.BOTTOM - edge),
        ]
        for layer in LAYERS.values():
            zone = pcbnew.ZONE(self.board)
            zone.SetLayer(layer)
            zone.SetNet(self.nets["GND"])
            zone.SetLocalClearance(mm(CLEARANCE))
            zone.SetMinThickness(mm(0.25))
            zone.SetPadConnection(pcbnew.ZONE_CONNECTION_THERMAL)
            zone.SetThermalReliefGap(mm(0.3))
            zone.SetThermalReliefSpokeWidth(mm(0.4))
            zone.SetIslandRemovalMode(pcbnew.ISLAND_REMOVAL_MODE_ALWAYS)
            outline = zone.Outline()
            outline.NewOutline()
            for x, y in corners:
                outline.Append(at(x, y).x, at(x, y).y)
            self.board.Add(zone)

    def silk(self) -> None:
        for reference, spot in layout.SPOTS.items():
            front = spot.layer == FRONT
            if reference == "M1":
                self.text("M1 PN5180 module below", 12.2, 43.9, True, 0.8)
            elif reference == "J1":
                self.text("J1 row cable", -17.9, 34.9, True, 0.8)
            elif reference == "J2":
                self.text("J2 feed A", -9.0, 33.0, True, 0.7)
                self.text("J2 feed B", 9.0, 33.0, True, 0.7)
            else:
                low = max(pad.y for pad in layout.pads() if pad.reference == reference)
                beside = reference in ("C3", "C4", "C5", "C6")
                where = (spot.x - 3.3, spot.y) if beside else (spot.x, 33.0 if front else low + 1.55)
                self.text(reference, *where, front, 0.8)
        for pad in layout.pads():
            if pad.reference == "M1":
                self.text(pad.name, pad.x, 39.4, False, 0.65, turned=True)
        self.text("1", -27.2, 37.0, False, 0.9)
        self.text("Naqala tile board, coil 54 mm, CERN-OHL-P-2.0", 0, -2, True, 1.2)
        self.text("unverified prototype", 0, 1.5, True, 1.2)


def plot(board: pcbnew.BOARD, folder: Path) -> list[Path]:
    control = pcbnew.PLOT_CONTROLLER(board)
    options = control.GetPlotOptions()
    options.SetOutputDirectory(str(folder))
    options.SetPlotFrameRef(False)
    options.SetUseGerberProtelExtensions(False)
    options.SetSubtractMaskFromSilk(True)
    for name, layer in PLOTS:
        control.SetLayer(layer)
        control.OpenPlotfile(name, pcbnew.PLOT_FORMAT_GERBER, name)
        control.PlotLayer()
    control.ClosePlot()
    drill = pcbnew.EXCELLON_WRITER(board)
    drill.SetFormat(True)
    drill.SetOptions(False, False, pcbnew.wxPoint(0, 0), True)
    drill.CreateDrillandMapFilesSet(str(folder), True, False)
    return sorted(path for path in folder.iterdir() if path.suffix in (".gbr", ".drl"))


def main() -> None:
    laid = load(Path(sys.argv[1]))
    folder = Path(sys.argv[2]).resolve()
    (folder / "gerber").mkdir(parents=True, exist_ok=True)
    sheet = Sheet()
    sheet.outline()
    sheet.parts()
    sheet.copper(laid)
    sheet.ground()
    sheet.silk()
    target = str(folder / "tile.kicad_pcb")
    pcbnew.SaveBoard(target, sheet.board)
    board = pcbnew.LoadBoard(target)  # pouring needs a board that was read from a file
    pcbnew.ZONE_FILLER(board).Fill(board.Zones())
    pcbnew.SaveBoard(target, board)
    report = folder / "drc.txt"
    pcbnew.WriteDRCReport(board, str(report), pcbnew.EDA_UNITS_MILLIMETRES, True)
    gerbers = plot(board, folder / "gerber")
    wrong = faults(report.read_text(), gerbers, len(PLOTS) + 1)
    print(f"tile board: {len(gerbers)} Gerber and drill files, {len(wrong)} design rule errors")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
