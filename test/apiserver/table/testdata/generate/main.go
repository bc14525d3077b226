// Writes golden.jsonl: each object of ../objects.jsonl with the table row that kube-apiserver creates for it.
//
//	go run . < ../objects.jsonl > ../golden.jsonl
//
// Times in the objects are given as ages (@5m30s, @@5m30s for a MicroTime): kube-apiserver counts from the present
// time, which "now" records.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/coordination/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/discovery/install"
	_ "k8s.io/kubernetes/pkg/apis/events/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/rbac/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/printers"
	"k8s.io/kubernetes/pkg/printers/internalversion"
)

type column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Format   string `json:"format"`
	Priority int32  `json:"priority"`
}

type golden struct {
	Now        string                     `json:"now"`
	Object     json.RawMessage            `json:"object"`
	Columns    []column                   `json:"columns"`
	Cells      []interface{}              `json:"cells"`
	Conditions []metav1.TableRowCondition `json:"conditions,omitempty"`
}

func check(err error, what string) {
	if err != nil {
		fmt.Fprintln(os.Stderr, what, err)
		os.Exit(1)
	}
}

func main() {
	generator := printers.NewTableGenerator().With(internalversion.AddHandlers)
	age := regexp.MustCompile(`@@?[0-9hms]+`)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		// A little into the second, so that the ages do not turn while the row is made.
		now := time.Now().UTC().Truncate(time.Second)
		text := age.ReplaceAllStringFunc(lines.Text(), func(given string) string {
			layout := time.RFC3339
			if given[1] == '@' {
				given, layout = given[1:], metav1.RFC3339Micro
			}
			duration, err := time.ParseDuration(given[1:])
			check(err, given)
			return now.Add(-duration).Format(layout)
		})
		object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode([]byte(text), nil, nil)
		check(err, text)
		legacyscheme.Scheme.Default(object)
		internal, err := legacyscheme.Scheme.ConvertToVersion(object, runtime.InternalGroupVersioner)
		check(err, text)
		table, err := generator.GenerateTable(internal, printers.GenerateOptions{Wide: true})
		check(err, text)
		entry := golden{Now: now.Format(time.RFC3339), Object: json.RawMessage(text), Cells: table.Rows[0].Cells,
			Conditions: table.Rows[0].Conditions}
		for _, c := range table.ColumnDefinitions {
			entry.Columns = append(entry.Columns, column{c.Name, c.Type, c.Format, c.Priority})
		}
		encoded, err := json.Marshal(entry)
		check(err, text)
		_, err = fmt.Fprintln(out, string(encoded))
		check(err, "output")
	}
	check(lines.Err(), "input")
}
