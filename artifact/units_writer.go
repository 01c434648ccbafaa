package artifact

import (
	"strings"
)

// UnitsData is the content of one partition's units segment. Files are in
// path order; units and docs in the orders that Unit and Doc document.
type UnitsData struct {
	Files []File
	Units []Unit
	Docs  []Doc
}

// EncodeUnits returns the units segment for d. It reads back what it wrote
// and fails where d breaks a rule of FORMAT.md.
func EncodeUnits(key Digest, d *UnitsData) ([]byte, error) {
	if len(d.Files) > maxRows || len(d.Units) > maxRows || len(d.Docs) > maxRows {
		return nil, damaged("units: %d files, %d units, %d docs are too many", len(d.Files), len(d.Units), len(d.Docs))
	}
	langs := newStringBuilder()
	for i := range d.Files {
		if l := d.Files[i].Lang; l != "" {
			langs.id(l)
		}
	}
	langs.sort()
	ft := newTableWriter(len(d.Files), fileColumns)
	paths := make([]string, len(d.Files))
	var blobs []byte
	for i := range d.Files {
		f := &d.Files[i]
		if len(f.Blob.Bytes()) != len(d.Files[0].Blob.Bytes()) || f.Blob.IsZero() {
			return nil, damaged("units: file %d has no object id of the partition's format", i)
		}
		paths[i] = f.Path
		blobs = append(blobs, f.Blob.Bytes()...)
		ft.set(i, fileSkip, uint64(f.Skip))
		ft.set(i, fileMode, uint64(f.Mode))
		ft.set(i, fileSize, f.Size)
		if f.Lang != "" {
			ft.set(i, fileLang, 1+uint64(langs.id(f.Lang)))
		}
		ft.set(i, fileDegraded, uint64(f.Degraded))
		ft.set(i, fileEncoding, uint64(f.Encoding))
		ft.set(i, fileLines, uint64(f.Lines))
	}
	symbols := newStringBuilder()
	ut := newTableWriter(len(d.Units), unitColumns)
	for i := range d.Units {
		u := &d.Units[i]
		if u.End < u.Start || u.EndLine < u.StartLine || u.Parent < -1 {
			return nil, damaged("units: unit %d ends before it starts", i)
		}
		ut.set(i, unitKind, uint64(u.Kind))
		ut.set(i, unitLevel, uint64(u.Level))
		ut.set(i, unitFile, uint64(u.File))
		ut.set(i, unitParent, uint64(u.Parent+1))
		ut.set(i, unitStart, uint64(u.Start))
		ut.set(i, unitLength, uint64(u.End-u.Start))
		ut.set(i, unitStartLine, uint64(u.StartLine))
		ut.set(i, unitMoreLines, uint64(u.EndLine-u.StartLine))
		ut.set(i, unitSymbol, uint64(symbols.id(u.Symbol)))
		if strings.HasSuffix(u.Symbol, u.Name) {
			ut.set(i, unitName, uint64(len(u.Name))<<1)
		} else {
			ut.set(i, unitName, uint64(symbols.id(u.Name))<<1|1)
		}
	}
	dt := newTableWriter(len(d.Docs), docColumns)
	for i := range d.Docs {
		o := &d.Docs[i]
		if int(o.Unit) >= len(d.Units) {
			return nil, damaged("units: doc %d is of unit %d of %d", i, o.Unit, len(d.Units))
		}
		u := &d.Units[o.Unit]
		if o.Start < u.Start || o.End > u.End || o.StartLine < u.StartLine || o.EndLine > u.EndLine {
			return nil, damaged("units: doc %d reaches out of its unit", i)
		}
		dt.set(i, docPart, uint64(o.Part))
		dt.set(i, docUnit, zigzag(int64(o.Unit)-int64(i)))
		dt.set(i, docStart, uint64(o.Start-u.Start))
		dt.set(i, docEnd, uint64(u.End-o.End))
		dt.set(i, docStartLine, uint64(o.StartLine-u.StartLine))
		dt.set(i, docEndLine, uint64(u.EndLine-o.EndLine))
	}
	w := newSegmentWriter(Units, key)
	w.add(secUnitsFiles, sectionRequired, ft.bytes())
	for _, s := range []struct {
		id   uint16
		list []string
	}{{secUnitsPaths, paths}, {secUnitsLangs, langs.list}, {secUnitsSymbols, symbols.list}} {
		b, err := encodeStrings(s.list)
		if err != nil {
			return nil, err
		}
		w.add(s.id, sectionRequired, b)
	}
	w.add(secUnitsBlobs, sectionRequired, blobs)
	w.add(secUnitsUnits, sectionRequired, ut.bytes())
	w.add(secUnitsDocs, sectionRequired, dt.bytes())
	b := w.bytes()
	return b, checkUnits(b, d)
}

// checkUnits reads back what EncodeUnits wrote.
func checkUnits(b []byte, d *UnitsData) error {
	r, err := OpenUnits(b)
	if err != nil {
		return err
	}
	return checkUnitsReader(r, d)
}

// checkUnitsReader compares all that r holds with d.
func checkUnitsReader(r *UnitsReader, d *UnitsData) error {
	if r.NumFiles() != len(d.Files) || r.NumUnits() != len(d.Units) || r.NumDocs() != len(d.Docs) {
		return damaged("units: counts differ when read back")
	}
	for i := range d.Files {
		if r.File(i) != d.Files[i] {
			return damaged("units: file %d differs when read back", i)
		}
	}
	for i := range d.Units {
		if r.Unit(i) != d.Units[i] {
			return damaged("units: unit %d differs when read back", i)
		}
	}
	for i := range d.Docs {
		if r.Doc(i) != d.Docs[i] {
			return damaged("units: doc %d differs when read back", i)
		}
	}
	return nil
}
