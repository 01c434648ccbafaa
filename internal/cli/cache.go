package cli

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pindex-dev/pindex/fetch"
	"github.com/pindex-dev/pindex/internal/command"
	"github.com/pindex-dev/pindex/internal/fail"
)

// Schemas of what is said of the cache.
const (
	schemaCache      = "pindex.cache/0"
	schemaCachePrune = "pindex.cacheprune/0"
)

type cacheAnswer struct {
	Schema string                 `json:"schema"`
	Dir    string                 `json:"dir"`
	Files  int                    `json:"files"`
	Bytes  int64                  `json:"bytes"`
	Kinds  map[string]fetch.Usage `json:"kinds"` // partitions, manifests, models, tags, derived
	Notes  []string               `json:"notes,omitempty"`
}

type cachePruneAnswer struct {
	Schema string `json:"schema"`
	Dir    string `json:"dir"`
	*fetch.Pruned
}

func (a *App) cacheCmd() *command.Command {
	c := &command.Command{
		Use:   "cache",
		Short: "Where verified index files are kept on this machine, and how many",
		Long: `Where verified index files are kept on this machine, and how many. Everything in
the cache can be fetched or unpacked again from the store. The default local
store, a folder in it, does not belong to it: cache commands never touch it.`,
		Example: `  pindex cache
  pindex cache --json`,
		Args: command.NoArgs,
		RunE: func(c *command.Command, _ []string) error {
			ans, err := a.cacheUsage(c.Context())
			if err != nil {
				return err
			}
			return a.answer(ans, func(o *output) {
				o.print("cache       %s\n", o.name(ans.Dir))
				o.print("holds       %d bytes in %s\n", ans.Bytes, count(ans.Files, "file"))
				for _, k := range sortedKeys(ans.Kinds) {
					o.print("  %-11s %12d bytes in %s\n", k, ans.Kinds[k].Bytes, count(ans.Kinds[k].Files, "file"))
				}
				for _, n := range ans.Notes {
					o.print("note        %s\n", o.text(n))
				}
				o.print("local store %s\n", o.name(filepath.Join(ans.Dir, fetch.StoreDir)))
			})
		},
	}
	c.AddCommand(a.cachePruneCmd())
	return c
}

func (a *App) cacheUsage(ctx context.Context) (*cacheAnswer, error) {
	cache := a.Cache()
	kinds, err := cache.Usage(ctx)
	if err != nil {
		return nil, err
	}
	ans := &cacheAnswer{Schema: schemaCache, Dir: cache.Dir(), Kinds: kinds, Notes: cache.Notes()}
	for _, u := range kinds {
		ans.Files += u.Files
		ans.Bytes += u.Bytes
	}
	return ans, nil
}

func (a *App) cachePruneCmd() *command.Command {
	var maxSize, olderThan string
	c := &command.Command{
		Use:   "prune",
		Short: "Remove from the cache what was not used for longest",
		Long: `Remove from the cache what was not used for longest, until it is within the
limits. It may run beside searches and pulls: who reads a file keeps it. Indexes
in stores, also in the local one, are not touched.`,
		Example: `  pindex cache prune --max-size 2G
  pindex cache prune --older-than 30d`,
		Args: command.NoArgs,
		RunE: func(c *command.Command, _ []string) error {
			if maxSize == "" && olderThan == "" {
				return fail.New(fail.Usage, "say --max-size 2G, --older-than 30d, or both", "nothing says what to remove")
			}
			o := fetch.PruneOptions{MaxBytes: -1}
			var err error
			if maxSize != "" {
				if o.MaxBytes, err = parseSize(maxSize); err != nil {
					return fail.Wrap(fail.Usage, err, "write it as 500M, 2G or a number of bytes", "--max-size %q", maxSize)
				}
			}
			if olderThan != "" {
				if o.Unused, err = parseAge(olderThan); err != nil {
					return fail.Wrap(fail.Usage, err, "write it as 30d, 12h or 90m", "--older-than %q", olderThan)
				}
			}
			cache := a.Cache()
			p, err := cache.Prune(c.Context(), o)
			if err != nil {
				return err
			}
			ans := &cachePruneAnswer{schemaCachePrune, cache.Dir(), p}
			return a.answer(ans, func(out *output) {
				out.print("removed %d bytes in %s\n", p.Removed.Bytes, count(p.Removed.Files, "file"))
				out.print("kept    %d bytes in %s\n", p.Kept.Bytes, count(p.Kept.Files, "file"))
				if p.InUse.Files > 0 {
					out.print("of which %s cannot be removed now, because somebody reads them\n", count(p.InUse.Files, "file"))
				}
			})
		},
	}
	fl := c.Flags()
	fl.StringVar(&maxSize, "max-size", "", "keep at most `SIZE`, such as 500M or 2G")
	fl.StringVar(&olderThan, "older-than", "", "remove what was not used for `DURATION`, such as 30d or 12h")
	usageErrors(c)
	return c
}

// parseSize reads a number of bytes with an optional unit of 1024: K, M, G or
// T, also written KB or KiB.
func parseSize(s string) (int64, error) {
	digits := strings.TrimRightFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	unit := strings.ToUpper(s[len(digits):])
	n, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return 0, fmt.Errorf("%q is no number", digits)
	}
	if unit == "" || unit == "B" {
		return int64(n), nil
	}
	power := strings.IndexByte("KMGT", unit[0]) + 1
	if rest := unit[1:]; power == 0 || rest != "" && rest != "B" && rest != "IB" {
		return 0, fmt.Errorf("unknown unit %q", s[len(digits):])
	}
	if n > math.MaxInt64>>(10*power) {
		return 0, fmt.Errorf("%s is too large", s)
	}
	return int64(n) << (10 * power), nil
}

// parseAge reads a duration, which may be in days.
func parseAge(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 16) // 65535 days are 180 years
		d = time.Duration(n) * 24 * time.Hour
	}
	if err == nil && d <= 0 {
		err = fmt.Errorf("%s is not later than now", s)
	}
	return d, err
}
