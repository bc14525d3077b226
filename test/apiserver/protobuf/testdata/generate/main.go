// Writes golden.jsonl: objects of every kind in Kubernetes' own Go types, each as the protobuf body that client-go
// would send for it (hexadecimal) and as the equivalent JSON.
//
//	go run . > ../golden.jsonl
//
// Three objects of each kind: "full" with every field set, "zero" with every pointer set to a zero value, "empty" with
// nothing set. A struct is filled completely at its first occurrence and only with its scalars after that, which keeps
// the file small.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"sort"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
)

type filler struct {
	zero bool
	next int
	seen map[reflect.Type]bool
}

func (f *filler) number() int {
	f.next++
	return f.next
}

// special sets values of types with custom serialization.
func (f *filler) special(v reflect.Value) bool {
	n := f.number()
	switch p := v.Addr().Interface().(type) {
	case *resource.Quantity:
		if !f.zero {
			*p = resource.MustParse([]string{"100m", "1Gi", "2", "1500Mi"}[n%4])
		}
	case *metav1.Time:
		if !f.zero {
			*p = metav1.Unix(1700000000+int64(n), 987654321)
		}
	case *metav1.MicroTime:
		if !f.zero {
			*p = metav1.NewMicroTime(time.Unix(1700000000+int64(n), 123456789))
		}
	case *metav1.Duration:
		if !f.zero {
			*p = metav1.Duration{Duration: []time.Duration{90 * time.Minute, 1500 * time.Millisecond, 30 * time.Second, 7}[n%4]}
		}
	case *intstr.IntOrString:
		if !f.zero && n%2 == 0 {
			*p = intstr.FromString("50%")
		} else if !f.zero {
			*p = intstr.FromInt32(-8080)
		}
	case *runtime.RawExtension:
		if !f.zero {
			p.Raw = []byte(`{"apiVersion":"v1","kind":"Thing","n":[1,2.5,null]}`)
		}
	case *metav1.FieldsV1:
		if !f.zero {
			p.SetRawString(`{"f:metadata":{"f:labels":{}}}`)
		}
	case *apiextensionsv1.JSON:
		if f.zero {
			p.Raw = []byte(`null`)
		} else {
			p.Raw = []byte(`{"any":["thing"]}`)
		}
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		if n%2 == 0 {
			p.Schema = &apiextensionsv1.JSONSchemaProps{Type: "string"}
		} else {
			p.JSONSchemas = []apiextensionsv1.JSONSchemaProps{{Type: "string"}, {Type: "integer"}}
		}
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		if f.zero {
			p.Allows = n%2 == 0
		} else {
			p.Allows = true
			p.Schema = &apiextensionsv1.JSONSchemaProps{Type: "boolean"}
		}
	case *apiextensionsv1.JSONSchemaPropsOrStringArray:
		if n%2 == 0 {
			p.Schema = &apiextensionsv1.JSONSchemaProps{Type: "string"}
		} else {
			p.Property = []string{"a", "b"}
		}
	default:
		return false
	}
	return true
}

func (f *filler) fill(v reflect.Value, shallow bool) {
	if v.CanAddr() && f.special(v) {
		return
	}
	n := f.number()
	switch v.Kind() {
	case reflect.String:
		if !f.zero {
			v.SetString(fmt.Sprintf("s%d \"ü\" <\t>", n))
		}
	case reflect.Bool:
		v.SetBool(!f.zero)
	case reflect.Int, reflect.Int32, reflect.Int64:
		if !f.zero {
			v.SetInt(int64(n) * []int64{1, -1, 1000000}[n%3])
		}
	case reflect.Float64:
		if !f.zero {
			v.SetFloat(float64(n) / 8)
		}
	case reflect.Uint8:
		v.SetUint(uint64(n % 256))
	case reflect.Pointer:
		if shallow && holdsStruct(v.Type()) {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), false)
	case reflect.Slice:
		if f.zero || shallow && holdsStruct(v.Type()) {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0), false)
		f.fill(v.Index(1), false)
	case reflect.Map:
		if f.zero || shallow && holdsStruct(v.Type()) {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for i := 0; i < 2; i++ {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.SetString(fmt.Sprintf("k%d", f.number()))
			f.fill(value, false)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		again := f.seen[v.Type()]
		f.seen[v.Type()] = true
		for i := 0; i < v.NumField(); i++ {
			if v.Type().Field(i).Name == "TypeMeta" || !v.Field(i).CanSet() {
				continue
			}
			f.fill(v.Field(i), again)
		}
	}
}

func holdsStruct(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		admissionregistrationv1.AddToScheme, appsv1.AddToScheme, authenticationv1.AddToScheme, authorizationv1.AddToScheme,
		autoscalingv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme, certificatesv1.AddToScheme,
		coordinationv1.AddToScheme, corev1.AddToScheme, discoveryv1.AddToScheme, eventsv1.AddToScheme,
		flowcontrolv1.AddToScheme, networkingv1.AddToScheme, nodev1.AddToScheme, policyv1.AddToScheme, rbacv1.AddToScheme,
		resourcev1.AddToScheme, schedulingv1.AddToScheme, storagev1.AddToScheme, apiextensionsv1.AddToScheme,
	} {
		check(add(scheme))
	}
	var kinds []schema.GroupVersionKind
	for kind := range scheme.AllKnownTypes() {
		// Kinds registered in every version are written once; lists are sent only by the server.
		isOptions := kind.Kind == "DeleteOptions" || kind.Kind == "CreateOptions" || kind.Kind == "UpdateOptions"
		everywhere := map[string]bool{"GetOptions": true, "PatchOptions": true, "ListOptions": true, "WatchEvent": true}
		if kind.Version == runtime.APIVersionInternal || everywhere[kind.Kind] || isOptions && kind.Group != "apps" {
			continue
		}
		if len(kind.Kind) > 4 && kind.Kind[len(kind.Kind)-4:] == "List" || kind.Kind == "List" {
			continue
		}
		kinds = append(kinds, kind)
	}
	sort.Slice(kinds, func(i, j int) bool { return kinds[i].String() < kinds[j].String() })

	encoder := protobuf.NewSerializer(scheme, scheme)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fillers := []struct {
		name string
		with *filler
	}{
		{"full", &filler{seen: map[reflect.Type]bool{}}},
		{"zero", &filler{zero: true, seen: map[reflect.Type]bool{}}},
		{"empty", nil},
	}
	for _, kind := range kinds {
		for _, f := range fillers {
			object, err := scheme.New(kind)
			check(err)
			if _, ok := object.(runtime.Object).(interface{ Marshal() ([]byte, error) }); !ok {
				continue
			}
			if f.with != nil {
				f.with.fill(reflect.ValueOf(object).Elem(), false)
			}
			object.GetObjectKind().SetGroupVersionKind(kind)
			var body bytes.Buffer
			check(encoder.Encode(object, &body))
			text, err := json.Marshal(object)
			check(err)
			_, err = fmt.Fprintf(out, "{\"name\":%q,\"protobuf\":%q,\"json\":%s}\n",
				f.name+" "+kind.GroupVersion().String()+" "+kind.Kind, hex.EncodeToString(body.Bytes()), text)
			check(err)
		}
	}
}
