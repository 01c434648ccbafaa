package main

import (
	"os"
	"path"
	"regexp"
	"strings"
)

// permissive says whether a licence field names permissive licences alone.
// Of a choice ("MIT OR GPL-2.0") one is enough.
func permissive(field string) bool {
	f := strings.ToLower(field)
	if f == "" || len(f) > 200 {
		return false
	}
	for _, alternative := range regexp.MustCompile(`\s+or\s+|/`).Split(f, -1) {
		ok := allowedWords.MatchString(alternative) && !refusedWords.MatchString(alternative)
		if ok {
			return true
		}
	}
	return false
}

var (
	allowedWords = regexp.MustCompile(`\b(mit|mit-0|expat|x11|bsd|0bsd|bsd-[0-9]|isc|apache|apl2|zlib|libpng|unlicense|cc0|boost|bsl-1|psf|python|postgresql|public domain|ruby|php|openssl|tcl|hpnd|ncsa|unicode|artistic-2|wtfpl|blueoak|afl)`)
	refusedWords = regexp.MustCompile(`gpl|affero|mozilla|\bmpl|epl|eclipse|cddl|eupl|sspl|busl|business source|proprietary|commercial|elastic|cc-by|creative|osl|cpl|commons clause`)
)

// licenceOf reads a licence's text and names it, "" when it is not known.
func licenceOf(text string) string {
	t := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, bad := range []struct{ words, name string }{
		{"gnu affero general public", "AGPL"}, {"gnu lesser general public", "LGPL"}, {"gnu library general public", "LGPL"},
		{"gnu general public license", "GPL"}, {"mozilla public license", "MPL"}, {"eclipse public license", "EPL"},
		{"business source license", "BUSL"}, {"server side public", "SSPL"}, {"elastic license", "Elastic"},
		{"commons clause", "Commons Clause"}, {"common development and distribution", "CDDL"},
	} {
		if strings.Contains(t, bad.words) {
			return bad.name
		}
	}
	for _, good := range []struct{ words, name string }{
		{"apache license", "Apache-2.0"}, {"permission is hereby granted, free of charge", "MIT"},
		{"permission to use, copy, modify, and/or distribute", "ISC"}, {"permission to use, copy, modify, and distribute", "ISC"},
		{"redistribution and use in source and binary forms", "BSD"}, {"boost software license", "BSL-1.0"},
		{"this is free and unencumbered software", "Unlicense"}, {"altered source versions must be plainly marked", "Zlib"},
		{"creative commons zero", "CC0"}, {"cc0 1.0", "CC0"}, {"public domain", "public domain"}, {"the postgresql licen", "PostgreSQL"}, {"python software foundation license", "PSF"},
		{"the php license", "PHP"}, {"mit license", "MIT"},
	} {
		if strings.Contains(t, good.words) {
			return good.name
		}
	}
	return ""
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|unlicense)([.-](txt|md|rst|mit|apache|apl2|apache-2\.0|bsd))?$`)

// licence finds out a package's licence: what its metadata says, else what its
// licence's text is. ok is false for any that is not known to be permissive.
func (p *pack) licence() (name string, ok bool) {
	if p.kind == "mvn" {
		name = mavenLicence(p.meta, p.name)
		return name, permissive(name)
	}
	var meta, text string
	want := func(n string) bool {
		base := path.Base(n)
		switch p.kind {
		case "py":
			return base == "METADATA" || licenceFile.MatchString(base) && strings.Contains(n, ".dist-info")
		case "npm":
			return n == "package.json" || licenceFile.MatchString(n)
		case "cargo":
			return n == "Cargo.toml" || licenceFile.MatchString(n)
		}
		return licenceFile.MatchString(n)
	}
	read := func(n string, b []byte) {
		switch base := path.Base(n); base {
		case "METADATA":
			for _, l := range strings.Split(string(b), "\n") {
				if v, found := strings.CutPrefix(l, "License-Expression: "); found {
					meta = v
				} else if v, found := strings.CutPrefix(l, "Classifier: License :: OSI Approved :: "); found {
					if meta != "" && !strings.Contains(meta, v) {
						v = meta + " or " + v // several classifiers: refused below unless each is fine
					}
					meta = v
				} else if v, found := strings.CutPrefix(l, "License: "); found && meta == "" && len(v) < 60 {
					meta = v
				} else if strings.TrimSpace(l) == "" {
					break
				}
			}
		case "package.json":
			if m := regexp.MustCompile(`"license"\s*:\s*"([^"]*)"`).FindSubmatch(b); m != nil {
				meta = string(m[1])
			}
		case "Cargo.toml":
			if m := regexp.MustCompile(`(?m)^license\s*=\s*"([^"]*)"`).FindSubmatch(b); m != nil {
				meta = string(m[1])
			}
		default:
			if text == "" || licenceOf(text) == "" {
				text = string(b)
			}
		}
	}
	if p.kind == "deb" && p.meta != "" {
		return debianLicence(p.meta)
	}
	if err := p.each(want, read); err != nil {
		return err.Error(), false
	}
	if meta != "" {
		return meta, permissive(meta)
	}
	if name = licenceOf(text); name != "" {
		return name, permissive(name)
	}
	return "unknown", false
}

var (
	pomLicences = regexp.MustCompile(`(?s)<licenses>(.*?)</licenses>`)
	pomName     = regexp.MustCompile(`(?s)<name>\s*(.*?)\s*</name>`)
	pomParent   = regexp.MustCompile(`(?s)<parent>(.*?)</parent>`)
	pomID       = regexp.MustCompile(`<artifactId>\s*(.*?)\s*</artifactId>`)
	pomVersion  = regexp.MustCompile(`<version>\s*(.*?)\s*</version>`)
)

// mavenLicence reads the licences that an artifact's description, or the
// nearest of its parents', names: a choice.
func mavenLicence(repo, name string) string {
	for range 8 {
		found, err := walkFor(repo, func(p string) bool { return path.Base(p) == name+".pom" })
		if err != nil || len(found) == 0 {
			return ""
		}
		b, err := os.ReadFile(found[0])
		if err != nil {
			return ""
		}
		if m := pomLicences.FindSubmatch(b); m != nil {
			var names []string
			for _, n := range pomName.FindAllSubmatch(m[1], -1) {
				names = append(names, string(n[1]))
			}
			return strings.Join(names, " or ")
		}
		m := pomParent.FindSubmatch(b)
		if m == nil {
			return ""
		}
		id, version := pomID.FindSubmatch(m[1]), pomVersion.FindSubmatch(m[1])
		if id == nil || version == nil {
			return ""
		}
		name = string(id[1]) + "-" + string(version[1])
	}
	return ""
}

// debianLicence reads debian/copyright: the licence of most of a package's
// stanzas for its own files.
func debianLicence(archive string) (string, bool) {
	var text string
	err := eachFile(archive, func(n string) bool { return n == "copyright" || n == "debian/copyright" }, func(_ string, b []byte) { text = string(b) })
	if err != nil {
		return err.Error(), false
	}
	stanza := regexp.MustCompile(`(?m)^Files: *\*[^\n]*\n(?:[ \t].*\n|[A-Z][A-Za-z-]*:.*\n)*?License: *(.+)`)
	if m := stanza.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[1]), permissive(strings.TrimSpace(m[1])) || regexp.MustCompile(`(?i)^(expat|ruby|php|bsd|apache|apl2|mit|isc|postgresql|psf|openssl|zlib|tcl|curl|libpng|freetype|libtiff|bsl)`).MatchString(strings.TrimSpace(m[1])) && !refusedWords.MatchString(strings.ToLower(m[1]))
	}
	name := licenceOf(text)
	return name, permissive(name)
}
