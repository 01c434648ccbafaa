package cli

import (
	"testing"
	"time"
)

func TestParseSize(t *testing.T) {
	for s, want := range map[string]int64{
		"0": 0, "1": 1, "17B": 17, "1K": 1 << 10, "1kb": 1 << 10, "500M": 500 << 20, "2G": 2 << 30, "2GiB": 2 << 30, "3T": 3 << 40,
		"8388607T": 8388607 << 40, "9223372036854775807": 1<<63 - 1,
		"": -1, "G": -1, "-1": -1, "1.5G": -1, "1 G": -1, "2X": -1, "2GG": -1, "2GiBs": -1, "0x10": -1, "8388608T": -1, "9223372036854775808": -1, "2é": -1,
	} {
		if got, err := parseSize(s); (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%q: %d, %v", s, got, err)
		}
	}
}

func TestParseAge(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"30d": 30 * 24 * time.Hour, "12h": 12 * time.Hour, "1h30m": 90 * time.Minute, "65535d": 65535 * 24 * time.Hour,
		"": 0, "0": 0, "0d": 0, "-1d": 0, "-1h": 0, "1.5d": 0, "d": 0, "65536d": 0, "1w": 0,
	} {
		if got, err := parseAge(s); (err != nil) != (want == 0) || err == nil && got != want {
			t.Errorf("%q: %s, %v", s, got, err)
		}
	}
}
