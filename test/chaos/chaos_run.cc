#include "test/chaos/chaos_run.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <kinformer/views/core_v1.h>

#include "test/chaos/process_figures.h"
#include "test/support/leak_check.h"

namespace kinformer::chaos {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

const std::vector<std::string> kNamespaces = {"chaos-a", "chaos-b", "chaos-c"};
constexpr const char* kOurs = "chaos=true";
constexpr int kWriters = 4;
constexpr auto kProgressEvery = 5s;
/// Time limit after the faults have ended. A connection gone silent is detected after 45 seconds.
constexpr auto kSettleWithin = 120s;
/// How much the heap may grow beyond its size after the warm-up. Process-wide library state (TLS sessions, thread
/// names, allocator bookkeeping) grows a little; leaking one object per event would amount to megabytes.
constexpr std::size_t kHeapTolerance = 1U << 20U;

void Say(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

std::vector<ObserverSpec> Specs() {
  const NamedTweak small_pages{.name = "small pages", .list = [](ListRequest& request) { request.limit = 20; }};
  return {
      {.name = "stream", .selection = {.namespace_name = "chaos-a", .label_selector = kOurs}},
      {.name = "paged",
       .selection = {.label_selector = kOurs},
       .informer = {.tweak = small_pages, .streaming_lists = false},
       .handlers = {{}, {.name = "resyncing", .options = {.resync = 1s}}}},
      {.name = "selector", .selection = {.namespace_name = "chaos-b", .label_selector = "chaos=true,tier=web"}},
      {.name = "metadata", .selection = {.namespace_name = "chaos-c", .label_selector = kOurs}, .metadata_only = true},
      {.name = "set", .selection = {.label_selector = kOurs}, .informer = {.namespaces = kNamespaces}},
      {.name = "slow",
       .selection = {.namespace_name = "chaos-b", .label_selector = kOurs},
       .handlers = {{},
                    {.name = "slow", .slowness = 5ms},
                    {.name = "folding",
                     .options = {.overflow = Overflow::kCoalesce, .max_pending = 16},
                     .slowness = 20ms}}},
      {.name = "stopped", .selection = {.label_selector = kOurs}},
      {.name = "remade", .selection = {.namespace_name = "chaos-c", .label_selector = kOurs}},
  };
}

}  // namespace

struct ChaosRun::Side {
  std::unique_ptr<ChaosProxy> proxy;
  std::vector<std::unique_ptr<SharedInformerFactory>> factories;
  std::vector<std::unique_ptr<Observer>> observers;
  std::unique_ptr<Client> watcher_client;
  std::unique_ptr<WatcherProbe> watcher;
  std::unique_ptr<Client> writer_client;
  std::vector<std::unique_ptr<Writer>> writers;
  /// When to restart the stopped informer.
  std::optional<steady_clock::time_point> start_again;

  ~Side() {
    if (watcher) watcher->Stop();
  }
  Observer& Named(const std::string& name) {
    for (const auto& observer : observers) {
      if (observer->name() == name) return *observer;
    }
    throw std::logic_error("no observer " + name);
  }
};

ChaosRun::ChaosRun(const ChaosOptions& options) : options_(options), plan_(MakePlan(options.seed, options.length)) {}
ChaosRun::~ChaosRun() = default;

int ChaosRun::Run() {
  Say("chaos: " + std::string(NameOf(options_.server)) + ", seed " + std::to_string(options_.seed) + ", " +
      std::to_string(options_.length.count()) + " s, " + std::to_string(plan_.actions.size()) + " actions planned:");
  for (const Action& action : plan_.actions) Say("  " + ToString(action));
  cluster_ = std::make_unique<e2e::Cluster>(options_.server, e2e::Programs::FromEnvironment());
  CreateNamespaces();
  WarmUp();

  const std::size_t threads = testing_support::ThreadCount();
  const std::size_t fds = testing_support::OpenFdCount();
  const std::size_t heap = HeapInUse();
  const std::size_t server_threads = ThreadsOf(cluster_->server_pid());
  std::string closing;
  try {
    auto side = MakeSide([seed = options_.seed](std::uint64_t connection) { return HarmsOf(seed, connection); });
    for (const auto& writer : side->writers) writer->Start();
    side->watcher->Start();
    began_ = next_progress_ = steady_clock::now();
    CarryOut(*side);
    if (!violations_.Any()) Settle(*side);
    closing = ProgressLine(*side);
  } catch (const std::runtime_error& error) {
    violations_.Report(error.what());
  }
  CheckServerLog();
  if (violations_.Any()) return Verdict(closing);

  // The client side has been destroyed, so everything it used must have been released.
  if (!testing_support::AwaitThreadCount(threads)) {
    violations_.Report("began with " + std::to_string(threads) + " threads, left " +
                       std::to_string(testing_support::ThreadCount()));
  }
  if (!testing_support::AwaitOpenFdCount(fds)) {
    std::string open;
    for (const std::string& fd : testing_support::OpenFds()) open += "\n  " + fd;
    violations_.Report("began with " + std::to_string(fds) + " open files, left:" + open);
  }
  // Only for our own server: kube-apiserver keeps connections to itself and any number of threads.
  if (options_.server == e2e::ServerKind::kKinformerApiserver) {
    const auto deadline = steady_clock::now() + 10s;
    const auto server_is_quiet = [&] {
      return ConnectionsAt(cluster_->port()) == 0 && ThreadsOf(cluster_->server_pid()) <= server_threads;
    };
    while (!server_is_quiet() && steady_clock::now() < deadline) std::this_thread::sleep_for(20ms);
    if (!server_is_quiet()) {
      violations_.Report("without clients the server has " + std::to_string(ConnectionsAt(cluster_->port())) +
                         " connections and " + std::to_string(ThreadsOf(cluster_->server_pid())) + " threads (" +
                         std::to_string(server_threads) + " before)");
    }
  }
  const std::size_t heap_after = HeapInUse();
  if (heap_after > heap + kHeapTolerance) {
    violations_.Report("began with " + std::to_string(heap) + " bytes of heap, left " + std::to_string(heap_after));
  }
  closing += " threads=" + std::to_string(threads) + "->" + std::to_string(testing_support::ThreadCount()) +
             " fds=" + std::to_string(fds) + "->" + std::to_string(testing_support::OpenFdCount()) +
             " heap_kb=" + std::to_string(heap / 1024) + "->" + std::to_string(heap_after / 1024) +
             " server_rss_mb=" + std::to_string(ResidentOf(cluster_->server_pid()) / 1024) +
             " server_threads=" + std::to_string(server_threads) + "->" +
             std::to_string(ThreadsOf(cluster_->server_pid()));
  return Verdict(closing);
}

int ChaosRun::Verdict(const std::string& closing) {
  if (!violations_.Any()) {
    Say("chaos: ok " + closing);
    return 0;
  }
  Say("chaos: " + closing);
  for (const std::string& violation : violations_.All()) Say("chaos: VIOLATED " + violation);
  Say("chaos: again by: kinformer-chaos --server " + std::string(NameOf(options_.server)) + " --seed " +
      std::to_string(options_.seed) + " --seconds " + std::to_string(options_.length.count()));
  return 1;
}

void ChaosRun::CreateNamespaces() {
  const auto client = Client::Create(cluster_->Admin()).value();
  for (const std::string& name : kNamespaces) {
    const auto object =
        Object::Parse(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + "\"}}").value();
    if (const auto made = client.For<core::v1::Namespace>().Create(*object); !made) {
      throw std::runtime_error("no namespace " + name + ": " + ToString(made.error()));
    }
  }
}

std::unique_ptr<ChaosRun::Side> ChaosRun::MakeSide(const ChaosProxy::HarmsOfConnection& harms) {
  auto side = std::make_unique<Side>();
  side->proxy = std::make_unique<ChaosProxy>(cluster_->port(), harms);
  const Config harmed = cluster_->Admin(side->proxy->port());
  // Three clients: on HTTP/2, the informers of one client share a connection and its faults.
  constexpr std::size_t kFactories = 3;
  for (std::size_t i = 0; i < kFactories; ++i) {
    side->factories.push_back(std::make_unique<SharedInformerFactory>(Client::Create(harmed).value()));
  }
  std::size_t next = 0;
  for (ObserverSpec& spec : Specs()) {
    side->observers.push_back(
        std::make_unique<Observer>(std::move(spec), *side->factories[next++ % kFactories], violations_, figures_));
  }
  side->watcher_client = std::make_unique<Client>(Client::Create(harmed).value());
  side->watcher = std::make_unique<WatcherProbe>(*side->watcher_client, "chaos-a", violations_, figures_);
  // No retries: a write must be sent at most once, or its outcome would be ambiguous.
  side->writer_client = std::make_unique<Client>(Client::Create(cluster_->Admin(), {.max_retries = 0}).value());
  for (int i = 0; i < kWriters; ++i) {
    side->writers.push_back(std::make_unique<Writer>(
        WriterOptions{.name = "w" + std::to_string(i), .namespaces = kNamespaces, .seed = options_.seed},
        *side->writer_client, server_life_, violations_, figures_));
  }
  return side;
}

void ChaosRun::WarmUp() {
  auto side = MakeSide([](std::uint64_t) { return ConnectionHarms{}; });
  for (const auto& observer : side->observers) {
    if (const auto synced = observer->informer().WaitForCacheSync(60s); !synced) {
      throw std::runtime_error("not synced before anything happened: " + ToString(synced.error()));
    }
  }
}

// --- During the run ---

void ChaosRun::CarryOut(Side& side) {
  for (const Action& action : plan_.actions) {
    // An action that overruns delays the following ones; none is skipped.
    const auto due = began_ + action.at;
    if (const auto now = steady_clock::now(); now < due) {
      Pause(side, std::chrono::ceil<milliseconds>(due - now));
    }
    if (violations_.Any()) return;
    Perform(side, action);
    ++actions_done_;
    Tick(side);
  }
  const auto end = began_ + plan_.length;
  if (const auto now = steady_clock::now(); now < end) Pause(side, std::chrono::ceil<milliseconds>(end - now));
}

void ChaosRun::Pause(Side& side, milliseconds duration) {
  const auto until = steady_clock::now() + duration;
  while (!violations_.Any()) {
    Tick(side);
    const auto now = steady_clock::now();
    if (now >= until) return;
    std::this_thread::sleep_for(std::min<steady_clock::duration>(20ms, until - now));
  }
}

void ChaosRun::Tick(Side& side) {
  const auto now = steady_clock::now();
  if (side.start_again && now >= *side.start_again) {
    side.Named("stopped").informer().Start();
    side.start_again.reset();
  }
  if (now >= next_progress_) {
    next_progress_ = now + kProgressEvery;
    Say("chaos: " + ProgressLine(side));
  }
  ServerMustLive();
}

void ChaosRun::ServerMustLive() {
  const int pid = cluster_->server_pid();
  if (pid != 0 && !Runs(pid)) throw std::runtime_error("the server ended by itself");
}

void ChaosRun::KillServer() {
  ServerMustLive();
  cluster_->KillServer();
  ++server_life_;
}

void ChaosRun::Perform(Side& side, const Action& action) {
  switch (action.kind) {
    case ActionKind::kCutAll:
      return side.proxy->CutAll();
    case ActionKind::kResetAll:
      return side.proxy->ResetAll();
    case ActionKind::kHalfCloseAll:
      return side.proxy->HalfCloseAll();
    case ActionKind::kStallAll:
      return side.proxy->StallAll(action.duration);
    case ActionKind::kRefuse:
      return side.proxy->Refuse(action.duration);
    case ActionKind::kStopInformer:
      side.Named("stopped").informer().Stop();
      side.start_again = steady_clock::now() + action.duration;
      return;
    case ActionKind::kRemakeInformer:
      return side.Named("remade").Remake();
    case ActionKind::kReplaceHandler:
      return side.observers[action.choice % side.observers.size()]->ReplaceHandler(action.choice);
    case ActionKind::kChangeNamespaces: {
      std::vector<std::string> chosen;
      for (std::size_t i = 0; i < kNamespaces.size(); ++i) {
        if ((action.choice >> i & 1U) != 0) chosen.push_back(kNamespaces[i]);
      }
      return side.Named("set").SetNamespaces(chosen);
    }
    case ActionKind::kCompact:
      return cluster_->Compact();
    case ActionKind::kKillServer:
      KillServer();
      Pause(side, action.duration);
      return cluster_->RestartServer();
    case ActionKind::kKillEtcd:
      cluster_->KillEtcd();
      Pause(side, action.duration);
      return cluster_->RestartEtcd();
    case ActionKind::kForgetAndRestart:
      side.proxy->Refuse(60s);
      side.proxy->ResetAll();
      Pause(side, action.duration + 200ms);
      cluster_->Compact();
      KillServer();
      cluster_->RestartServer();
      return side.proxy->Refuse(0ms);
  }
}

std::string ChaosRun::ProgressLine(const Side& side) const {
  std::uint64_t lists = figures_.lists_of_gone;
  for (const auto& observer : side.observers) lists += observer->Lists();
  std::uint64_t harms = 0;
  std::string kinds;
  for (const auto& [kind, count] : side.proxy->harms()) {
    harms += count;
    kinds += (kinds.empty() ? "" : ",") + std::string(NameOf(kind)) + ":" + std::to_string(count);
  }
  const auto text = [](const std::atomic<std::uint64_t>& figure) { return std::to_string(figure.load()); };
  return "t=" + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - began_).count()) +
         "s actions=" + std::to_string(actions_done_) + "/" + std::to_string(plan_.actions.size()) +
         " harms=" + std::to_string(harms) + " (" + kinds +
         ") connections=" + std::to_string(side.proxy->connections()) + " writes=" + text(figures_.writes) +
         " deletions=" + text(figures_.deletions) + " unanswered=" + text(figures_.unanswered) +
         " events=" + text(figures_.events) + " watcher_events=" + text(figures_.watcher_events) +
         " watcher_lives=" + text(figures_.watcher_lives) + " lists=" + std::to_string(lists) +
         " errors=" + text(figures_.errors) + " expired=" + text(figures_.expired);
}

// --- After the run ---

Result<ServerWorld> ChaosRun::ReadServer() const {
  const auto client = Client::Create(cluster_->Admin());
  if (!client) return client.error();
  const auto list = client->For<core::v1::ConfigMap>().Untyped().List({.label_selector = kOurs}, {.timeout = 20s});
  if (!list) return list.error();
  ServerWorld world;
  for (const ObjectPtr& object : list->items) {
    const Fact fact = FactOf(*object);
    world[fact.key] = {.state = fact.state,
                       .namespace_name = std::string(object->Namespace()),
                       .tier = std::string(object->Labels().Find("tier").value_or(""))};
  }
  return world;
}

void ChaosRun::Settle(Side& side) {
  side.proxy->Calm();
  if (side.start_again) side.start_again = steady_clock::now();
  Tick(side);
  for (const auto& writer : side.writers) writer->StopAndResolve();

  const auto deadline = steady_clock::now() + kSettleWithin;
  std::string difference = "nothing compared";
  // Reads the server each time: an abandoned write may still have been in flight.
  while (!difference.empty() && !violations_.Any()) {
    const auto server = ReadServer();
    if (server) {
      difference.clear();
      for (const auto& observer : side.observers) {
        difference = observer->Compare(*server);
        if (!difference.empty()) break;
      }
      if (difference.empty()) CheckLedgers(side, *server);
    } else {
      difference = "the server cannot be read: " + ToString(server.error());
    }
    if (!difference.empty() && steady_clock::now() > deadline) violations_.Report(difference);
    if (!difference.empty()) Pause(side, 100ms);
  }
  side.watcher->Stop();
  CheckWatcher(side);
}

void ChaosRun::CheckLedgers(Side& side, const ServerWorld& server) {
  for (const auto& writer : side.writers) {
    for (const auto& [key, ledger] : writer->names()) {
      const auto it = server.find(key);
      const std::string wrong = ledger.Check(it == server.end() ? std::nullopt : std::optional(it->second.state));
      if (!wrong.empty()) violations_.Report(key + ": " + wrong);
    }
  }
}

void ChaosRun::CheckWatcher(Side& side) {
  for (const WatcherLife& life : side.watcher->lives()) {
    for (const auto& writer : side.writers) {
      const auto missing = Missing(life, writer->VersionsIn(side.watcher->namespace_name()));
      if (missing.empty()) continue;
      violations_.Report("the watcher from " + std::to_string(life.after) + " to " + std::to_string(life.until) +
                         " did not show " + std::to_string(missing.size()) + " acknowledged writes, the first at " +
                         std::to_string(missing.front()));
    }
  }
}

void ChaosRun::CheckServerLog() {
  // Where a sanitizer in the server would report.
  std::ifstream log(cluster_->server_log_file());
  bool found = false;
  std::string report;
  for (std::string line; std::getline(log, line) && report.size() < 6000;) {
    found = found || line.find("Sanitizer") != std::string::npos || line.find("runtime error:") != std::string::npos ||
            line.starts_with("panic:");
    if (found) report += "\n  " + line;
  }
  if (found) violations_.Report("the server's log:" + report);
}

}  // namespace kinformer::chaos
