package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// shot is a command of the session and what the terminal showed of it.
type shot struct {
	command string
	lines   []screenLine
}

// Sizes, in the pixels of the picture.
const (
	letterWidth = 8.4
	lineHeight  = 19
	margin      = 18
	titleHeight = 36
)

// How long things take in the picture.
const (
	perLetter = 14 * time.Millisecond
	thinking  = 200 * time.Millisecond
	reading   = 700 * time.Millisecond
)

// head is the beginning of the picture. The colours are those of a light page
// or of a dark one. Everything is visible without animation: a viewer that knows
// none, or a person who wants none, sees the whole session.
const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="img" aria-labelledby="t">
<title id="t">%[3]s</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;white-space:pre}
%[9]s@media(prefers-color-scheme:dark){
%[10]s}
.e{font-weight:700}.s{animation:s .01s both}.i{animation:i 1s both}
@keyframes s{from{opacity:0}}
@keyframes i{from{clip-path:inset(-4px 100%% -4px 0)}to{clip-path:inset(-4px 0 -4px 0)}}
@media(prefers-reduced-motion:reduce){.s,.i{animation:none}}
</style>
<rect x=".5" y=".5" width="%[4]d" height="%[5]d" rx="9" class="bg"/>
<path d="M.5 %[6]d V9.5 a9 9 0 0 1 9 -9 H%[7]d a9 9 0 0 1 9 9 V%[6]d z" class="bar"/>
<circle cx="20" cy="18" r="5.5" class="dot"/><circle cx="39" cy="18" r="5.5" class="dot"/><circle cx="58" cy="18" r="5.5" class="dot"/>
<text class="d" x="%[8]d" y="23" text-anchor="middle">jlq</text>
`

// palette is what the classes of the picture look like on a page: the window,
// its bar, what it is outlined with, letters, and the colours of a terminal.
type palette struct{ window, bar, line, letter, dim, r, g, y, b, m, c string }

var (
	light = palette{"#fbfbfa", "#ecebe8", "#d3d1cc", "#2b2b2b", "#77756f", "#b3261e", "#1e7a34", "#8a5a00", "#1f5fbf", "#8e3fae", "#00727a"}
	dark  = palette{"#1b1d21", "#282b31", "#3a3e46", "#d9dce1", "#8d939e", "#ff7b72", "#7ee08a", "#f0c674", "#7cb3ff", "#d7a3f5", "#6fdbe2"}
)

func (p palette) css() string {
	return fmt.Sprintf(`.bg{fill:%s;stroke:%[3]s}.bar{fill:%[2]s;stroke:%[3]s}.dot{fill:%[3]s}text{fill:%s}.d,.k{fill:%s}`+
		`.r{fill:%s}.g,.p{fill:%s}.y{fill:%s}.b{fill:%s}.m{fill:%s}.c{fill:%s}`+"\n",
		p.window, p.bar, p.line, p.letter, p.dim, p.r, p.g, p.y, p.b, p.m, p.c)
}

// svg draws the session.
func svg(shots []shot) []byte {
	var body bytes.Buffer
	y, at := titleHeight+margin+6, thinking
	for i, s := range shots {
		if i > 0 {
			y += lineHeight / 2
		}
		at = prompt(&body, s.command, y, at)
		y += lineHeight
		fmt.Fprintf(&body, "<g class=\"s\" style=\"animation-delay:%dms\">\n", at.Milliseconds())
		for _, line := range s.lines {
			drawLine(&body, line.trim(), y)
			y += lineHeight
		}
		body.WriteString("</g>\n")
		at += reading + time.Duration(len(s.lines))*40*time.Millisecond
	}
	w, h := int(letterWidth*columns)+2*margin, y-lineHeight+margin+2
	var out bytes.Buffer
	fmt.Fprintf(&out, head, w, h, title(shots), w-1, h-1, titleHeight, w-10, w/2, light.css(), dark.css())
	out.Write(body.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// title is what somebody who cannot see the picture is told.
func title(shots []shot) string {
	var commands []string
	for _, s := range shots {
		commands = append(commands, s.command)
	}
	return "A terminal session: " + escape(strings.Join(commands, "; "))
}

// prompt draws a command that is typed from a time on, and returns when it ends.
func prompt(to *bytes.Buffer, command string, y int, at time.Duration) time.Duration {
	n := utf8.RuneCountInString(command)
	typing := time.Duration(n) * perLetter
	fmt.Fprintf(to, "<g class=\"s\" style=\"animation-delay:%dms\">", (at - thinking).Milliseconds())
	drawRun(to, run{style: style{bold: true, color: "p"}, text: "$"}, y, "")
	to.WriteString("</g>\n")
	drawRun(to, run{style: style{bold: true}, column: 2, text: command}, y, fmt.Sprintf(
		` style="animation-delay:%dms;animation-duration:%dms;animation-timing-function:steps(%d)"`, at.Milliseconds(), typing.Milliseconds(), n))
	to.WriteString("\n")
	return at + typing + thinking
}

func drawLine(to *bytes.Buffer, line screenLine, y int) {
	for _, r := range line {
		drawRun(to, r, y, "")
	}
	if len(line) > 0 {
		to.WriteString("\n")
	}
}

// drawRun draws letters at their column, as wide as they are on a terminal,
// whatever the font.
func drawRun(to *bytes.Buffer, r run, y int, typed string) {
	lead := len(r.text) - len(strings.TrimLeft(r.text, " "))
	r.text, r.column = strings.TrimRight(r.text[lead:], " "), r.column+lead
	if r.text == "" {
		return
	}
	fmt.Fprintf(to, `<text x="%.1f" y="%d" textLength="%.1f"%s%s>%s</text>`, margin+letterWidth*float64(r.column), y,
		letterWidth*float64(utf8.RuneCountInString(r.text)), classes(r.style, typed != ""), typed, escape(hard(r.text)))
}

// hard makes blanks that stand together ones that no viewer draws as one.
func hard(text string) string { return strings.ReplaceAll(text, "  ", "\u00a0\u00a0") }

func classes(s style, typed bool) string {
	var names []string
	if s.color != "" {
		names = append(names, s.color)
	} else if s.dim {
		names = append(names, "d")
	}
	if s.bold {
		names = append(names, "e")
	}
	if typed {
		names = append(names, "i")
	}
	if names == nil {
		return ""
	}
	return ` class="` + strings.Join(names, " ") + `"`
}

func escape(text string) string {
	var out bytes.Buffer
	_ = xml.EscapeText(&out, []byte(text)) // a buffer takes everything
	return out.String()
}
