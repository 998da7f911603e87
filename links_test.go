package jlq_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// link is a link of Markdown, or the source of an image.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)

// heading is a line that can be linked to.
var heading = regexp.MustCompile(`(?m)^#+ (.*)$`)

// pages are the documents that people read, with the README first.
func pages(t *testing.T) []string {
	docs, err := filepath.Glob(filepath.Join("docs", "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, docs)
	return append([]string{"README.md", "CONTRIBUTING.md", filepath.Join("bench", "RESULTS.md")}, docs...)
}

// prose is a page without what stands in fenced blocks.
func prose(t *testing.T, page string) string {
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	return fence.ReplaceAllString(string(data), "")
}

// TestLinks: what a page links to is there, and so is the heading.
func TestLinks(t *testing.T) {
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(prose(t, page), -1) {
			target := m[1] + m[2]
			if strings.Contains(target, "://") {
				continue // nothing here asks the network
			}
			path, anchor, _ := strings.Cut(target, "#")
			path = filepath.Join(filepath.Dir(page), path)
			if strings.HasPrefix(target, "#") {
				path = page
			}
			_, err := os.Stat(path)
			require.NoError(t, err, "%s links to %s", page, target)
			if anchor != "" {
				require.Contains(t, anchors(t, path), anchor, "%s links to %s", page, target)
			}
		}
	}
}

// TestEveryPageIsLinked: from the README one comes to every document.
func TestEveryPageIsLinked(t *testing.T) {
	readme := prose(t, "README.md")
	for _, page := range pages(t)[1:] {
		require.Contains(t, readme, "]("+filepath.ToSlash(page)+")", "the README links to %s", page)
	}
}

// anchors are the names that the headings of a page are linked by.
func anchors(t *testing.T, page string) (out []string) {
	drop := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for _, m := range heading.FindAllStringSubmatch(prose(t, page), -1) {
		out = append(out, strings.ReplaceAll(drop.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return out
}
