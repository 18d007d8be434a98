"""A plan as a KiCad board: pads, tracks, poured ground, names on the silk screen; design rules checked; Gerbers plotted.

Runs with the Python that KiCad's `pcbnew` belongs to: `/usr/bin/python3 -m hardware.pcb.kicad BOARD FOLDER`. It is written for KiCad 6
and says so when it finds another. Fails on a design rule error, an unconnected pad or an empty Gerber file.
"""

import re
import sys
from pathlib import Path

from hardware.pcb.boards import PLANS
from hardware.pcb.cells import VIA, VIA_DRILL, Laid
from hardware.pcb.judge import faults
from hardware.pcb.plan import BACK, BOTH, FRONT, Pad, Plan, Text
from hardware.pcb.route import ROUTES, load

KICAD = "6."


def version_fault(found: str | None) -> str:
    """Why this KiCad cannot be used; empty when it can."""
    if found is None:
        return "KiCad's Python module pcbnew is not here: install KiCad 6 (Debian 12: apt install kicad), or take the Gerber files of a release."
    if not found.startswith(KICAD):
        return (
            f"This is KiCad {found}; these scripts are written for KiCad 6, whose Python interface later versions changed. "
            "The Gerber files in hardware/release need no KiCad, and every newer KiCad opens the .kicad_pcb files of a release."
        )
    return ""


try:
    import pcbnew
except ImportError:
    pcbnew = None
if wrong := version_fault(pcbnew and pcbnew.Version()):
    sys.exit(wrong)

ORIGIN = (60.0, 60.0)  # where a plan's origin lies on the sheet
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
MAY_BE_EMPTY = ("B_Paste",)  # a board without parts below has nothing to print there
# Lines that say when a file was made: without them the same board makes the same files.
DATES = re.compile(r"^(%TF\.CreationDate|G04 Created by|; DRILL file|; #@! TF\.CreationDate).*\n", re.M)


def mm(value: float) -> int:
    return int(pcbnew.FromMM(value))


def at(x: float, y: float) -> pcbnew.wxPoint:
    return pcbnew.wxPoint(mm(ORIGIN[0] + x), mm(ORIGIN[1] + y))


class Sheet:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.board = pcbnew.CreateEmptyBoard()
        settings = self.board.GetDesignSettings()
        settings.m_MinClearance = mm(0.2)
        settings.m_TrackMinWidth = mm(0.25)
        settings.m_CopperEdgeClearance = mm(0.3)
        self.nets = {}
        for name in sorted({pad.net for pad in plan.pads if pad.net}):
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

    def text(self, note: Text) -> None:
        item = pcbnew.PCB_TEXT(self.board)
        item.SetText(note.words)
        item.SetLayer(pcbnew.F_SilkS if note.front else pcbnew.B_SilkS)
        item.SetPosition(at(note.x, note.y))
        item.SetTextSize(pcbnew.wxSize(mm(note.size), mm(note.size)))
        item.SetTextThickness(mm(note.size * 0.16))
        item.SetMirrored(not note.front)
        if note.upright:
            item.SetTextAngle(900)
        self.board.Add(item)

    def outline(self) -> None:
        left, top, right, bottom = self.plan.outline
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        for k in range(4):
            self.line(pcbnew.Edge_Cuts, corners[k], corners[(k + 1) % 4])
        size = pcbnew.wxSize(mm(self.plan.hole), mm(self.plan.hole))
        for n, (x, y) in enumerate(self.plan.holes, 1):
            part = pcbnew.FOOTPRINT(self.board)
            part.SetReference(f"H{n}")
            part.SetPosition(at(x, y))
            hole = pcbnew.PAD(part)
            hole.SetAttribute(pcbnew.PAD_ATTRIB_NPTH)
            hole.SetShape(pcbnew.PAD_SHAPE_CIRCLE)
            hole.SetSize(size)
            hole.SetDrillSize(size)
            hole.SetLayerSet(hole.UnplatedHoleMask())
            hole.SetPosition(at(x, y))
            hole.SetLocalCoord()
            part.Add(hole)
            part.Reference().SetVisible(False)
            self.board.Add(part)

    def parts(self) -> None:
        for reference in dict.fromkeys(pad.reference for pad in self.plan.pads):
            own = [pad for pad in self.plan.pads if pad.reference == reference]
            part = pcbnew.FOOTPRINT(self.board)
            part.SetReference(reference)
            part.SetPosition(at(own[0].x, own[0].y))
            if reference == "L1":
                part.SetKeywords(
                    "net tie"
                )  # the coil joins its two ends; what this hides, the cut test looks at
            part.SetAttributes(pcbnew.FP_THROUGH_HOLE if own[0].drill else pcbnew.FP_SMD)
            for pad in own:
                part.Add(self.pad(part, pad, square=pad.number == 1 and len(own) > 2))
            part.Reference().SetVisible(False)
            part.Value().SetVisible(False)
            self.board.Add(part)

    def pad(self, part: pcbnew.FOOTPRINT, pad: Pad, square: bool) -> pcbnew.PAD:
        item = pcbnew.PAD(part)
        item.SetNumber(str(pad.number))
        item.SetSize(pcbnew.wxSize(mm(pad.width), mm(pad.height)))
        if pad.layer == BOTH:
            item.SetAttribute(pcbnew.PAD_ATTRIB_PTH)
            item.SetDrillSize(pcbnew.wxSize(mm(pad.drill), mm(pad.drill)))
            item.SetShape(pcbnew.PAD_SHAPE_RECT if square else pcbnew.PAD_SHAPE_CIRCLE)
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
        """Ground on both faces where the plan says so."""
        left, top, right, bottom = self.plan.ground
        corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
        for layer in LAYERS.values():
            zone = pcbnew.ZONE(self.board)
            zone.SetLayer(layer)
            zone.SetNet(self.nets["GND"])
            zone.SetLocalClearance(mm(self.plan.clearance))
            zone.SetMinThickness(mm(0.25))
            zone.SetPadConnection(
                pcbnew.ZONE_CONNECTION_THT_THERMAL
            )  # parts without leads are soldered by machine
            zone.SetThermalReliefGap(mm(0.2))
            zone.SetThermalReliefSpokeWidth(mm(0.3))
            zone.SetIslandRemovalMode(pcbnew.ISLAND_REMOVAL_MODE_ALWAYS)
            outline = zone.Outline()
            outline.NewOutline()
            for x, y in corners:
                outline.Append(at(x, y).x, at(x, y).y)
            self.board.Add(zone)

    def silk(self) -> None:
        for note in self.plan.texts:
            self.text(note)
        for part in self.plan.placed:
            if self.plan.name != "tile":  # bodies of the tile's parts would run over its pads
                left, top, right, bottom = part.body
                corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
                for k in range(4):
                    self.line(pcbnew.F_SilkS, corners[k], corners[(k + 1) % 4], 0.15)


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
    plan = PLANS[sys.argv[1]]
    folder = Path(sys.argv[2]).resolve()
    gerbers = folder / "gerber"
    gerbers.mkdir(parents=True, exist_ok=True)
    pcbnew.KIID.SeedGenerator(1)  # KiCad plots in the order of identifiers, which are random otherwise
    sheet = Sheet(plan)
    sheet.outline()
    sheet.parts()
    sheet.copper(load(ROUTES / f"{plan.name}.json"))
    sheet.ground()
    sheet.silk()
    target = str(folder / f"{plan.name}.kicad_pcb")
    pcbnew.SaveBoard(target, sheet.board)
    board = pcbnew.LoadBoard(target)  # pouring needs a board that was read from a file
    pcbnew.ZONE_FILLER(board).Fill(board.Zones())
    pcbnew.SaveBoard(target, board)
    report = folder / "drc.txt"
    pcbnew.WriteDRCReport(board, str(report), pcbnew.EDA_UNITS_MILLIMETRES, True)
    plotted = plot(board, gerbers)
    for path in plotted:
        path.write_text(DATES.sub("", path.read_text()))
    drawn = [path for path in plotted if not any(path.stem.endswith(name) for name in MAY_BE_EMPTY)]
    wrong = faults(report.read_text(), drawn, len(PLOTS) + 1 - len(MAY_BE_EMPTY))
    print(f"{plan.title}: {len(plotted)} Gerber and drill files, {len(wrong)} design rule errors")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
