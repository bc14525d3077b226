// The reference for kinformer's benchmarks: client-go's shared informer over the same server, with the same handler and
// the same output. Also turns the replay server's pods into protobuf (--encode-pods).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	contentJSON     = "application/json"
	contentProtobuf = "application/vnd.kubernetes.protobuf"
	// The annotation with the time at which the server sent an event: nanoseconds since the epoch.
	sentAnnotation = "bench/sent"
)

type options struct {
	server            string
	kubeconfig        string
	content           string
	events            int
	handlers          int
	dropManagedFields bool
	timeout           time.Duration
}

func main() {
	var o options
	var encodeFrom, encodeTo string
	flag.StringVar(&o.server, "server", "", "URL of the API server")
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig, instead of --server")
	flag.StringVar(&o.content, "content", "protobuf", "json or protobuf")
	flag.IntVar(&o.events, "events", 0, "how many updates to wait for after the sync")
	flag.IntVar(&o.handlers, "handlers", 1, "how many handlers")
	flag.BoolVar(&o.dropManagedFields, "drop-managed-fields", false, "drop them with a transform, as kinformer does by default")
	flag.DurationVar(&o.timeout, "timeout", 2*time.Minute, "how long the sync and the events may take, each")
	flag.StringVar(&encodeFrom, "encode-pods", "", "a file of pods, JSON, one a line; writes them as protobuf to --to")
	flag.StringVar(&encodeTo, "to", "", "where --encode-pods writes to")
	flag.Parse()

	if flag.NArg() > 0 || (o.content != "json" && o.content != "protobuf") || o.handlers < 1 || o.events < 0 ||
		(encodeFrom == "" && (o.server == "") == (o.kubeconfig == "")) {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var err error
	if encodeFrom != "" {
		err = encodePods(encodeFrom, encodeTo)
	} else {
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "client-go-peer:", err)
		os.Exit(1)
	}
}

func (o options) restConfig() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags(o.server, o.kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	config.ContentType = contentJSON
	if o.content == "protobuf" {
		config.ContentType = contentProtobuf
		config.AcceptContentTypes = contentProtobuf + "," + contentJSON
	}
	return config, nil
}

// recorder is one handler's record of the updates: their times on the way and when the first and the last came.
type recorder struct {
	want      int
	latencies []int64
	first     time.Time
	last      time.Time
	firstCPU  time.Duration
	read      int // so that nothing the handler reads is optimised away
	done      *sync.WaitGroup
}

func (r *recorder) see(pod *corev1.Pod) {
	r.read += len(pod.Spec.NodeName) + len(pod.Status.Phase)
	if len(pod.Spec.Containers) > 0 {
		r.read += len(pod.Spec.Containers[0].Image)
	}
}

func (r *recorder) update(pod *corev1.Pod) {
	r.see(pod)
	if len(r.latencies) == r.want {
		return
	}
	now := time.Now()
	sent, _ := strconv.ParseInt(pod.Annotations[sentAnnotation], 10, 64)
	if len(r.latencies) == 0 {
		r.first = now
		r.firstCPU = cpuTime()
	}
	r.latencies = append(r.latencies, now.UnixNano()-sent)
	if len(r.latencies) == r.want {
		r.last = now
		r.done.Done()
	}
}

func run(ctx context.Context, o options) error {
	config, err := o.restConfig()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	var factoryOptions []informers.SharedInformerOption
	if o.dropManagedFields {
		factoryOptions = append(factoryOptions, informers.WithTransform(withoutManagedFields))
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, factoryOptions...)
	pods := factory.Core().V1().Pods()

	var done sync.WaitGroup
	recorders := make([]*recorder, o.handlers)
	registrations := make([]cache.ResourceEventHandlerRegistration, o.handlers)
	for i := range recorders {
		done.Add(1)
		r := &recorder{want: o.events, latencies: make([]int64, 0, o.events), done: &done}
		recorders[i] = r
		registrations[i], err = pods.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { r.see(object.(*corev1.Pod)) },
			UpdateFunc: func(_, object any) { r.update(object.(*corev1.Pod)) },
		})
		if err != nil {
			return err
		}
	}

	began, beganCPU := time.Now(), cpuTime()
	factory.StartWithContext(ctx)
	deadline := time.After(o.timeout)
	for _, registration := range registrations {
		select {
		case <-registration.HasSyncedChecker().Done():
		case <-deadline:
			return errors.New("not synced in time")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	syncTime, syncCPU := time.Since(began), cpuTime()-beganCPU
	// What the sync left behind is not counted as the cache's: the figure is the best that Go can show.
	debug.FreeOSMemory()
	fmt.Printf("sync_s=%.3f cpu_s=%.3f objects=%d rss_mb=%.1f peak_mb=%.1f\n", syncTime.Seconds(), syncCPU.Seconds(),
		len(pods.Informer().GetStore().ListKeys()), memory("VmRSS"), memory("VmHWM"))
	if o.events == 0 {
		return nil
	}

	allDone := make(chan struct{})
	go func() {
		done.Wait()
		close(allDone)
	}()
	select {
	case <-allDone:
	case <-time.After(o.timeout):
		return errors.New("not all events came in time")
	case <-ctx.Done():
		return ctx.Err()
	}
	endCPU := cpuTime()
	var latencies []int64
	first, last, firstCPU := recorders[0].first, recorders[0].last, recorders[0].firstCPU
	for _, r := range recorders {
		latencies = append(latencies, r.latencies...)
		if r.first.Before(first) {
			first, firstCPU = r.first, r.firstCPU
		}
		if r.last.After(last) {
			last = r.last
		}
	}
	slices.Sort(latencies)
	percentile := func(p float64) float64 {
		return float64(latencies[int(p*float64(len(latencies)-1))]) / 1000
	}
	fmt.Printf("events=%d events_per_s=%.0f cpu_us_per_event=%.2f p50_us=%.1f p99_us=%.1f peak_mb=%.1f\n", o.events,
		float64(o.events-1)/last.Sub(first).Seconds(), (endCPU-firstCPU).Seconds()*1e6/float64(o.events),
		percentile(0.5), percentile(0.99), memory("VmHWM"))
	return nil
}

func withoutManagedFields(object any) (any, error) {
	if pod, ok := object.(*corev1.Pod); ok {
		pod.ManagedFields = nil
	}
	return object, nil
}

// cpuTime is what this process has used, in user and system mode.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// memory is a line of /proc/self/status in megabytes (10^6 bytes).
func memory(field string) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(status), "\n") {
		if words := strings.Fields(line); len(words) >= 2 && words[0] == field+":" {
			kilobytes, _ := strconv.ParseFloat(words[1], 64)
			return kilobytes * 1024 / 1e6
		}
	}
	return 0
}
