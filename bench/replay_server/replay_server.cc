#include "bench/replay_server/replay_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace kinformer::bench {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::uint64_t kFirstPodVersion = 1'000'000'000;
constexpr std::uint64_t kFirstVersion = 2'000'000'000;
constexpr std::size_t kItemsPerChunk = 8;
constexpr std::size_t kMaxConnections = 1000;
constexpr std::chrono::hours kLongestWatch{1};
constexpr std::string_view kNotFound =
    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","code":404})";
constexpr std::string_view kNotAllowed =
    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"only GET","reason":"MethodNotAllowed","code":405})";
constexpr std::string_view kVersion = R"({"major":"1","minor":"36","gitVersion":"v1.36.0","platform":"linux/amd64"})";

[[noreturn]] void Fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

std::uint64_t Number(const std::string& text, std::uint64_t otherwise) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : otherwise;
}

std::uint64_t NanosecondsSinceEpoch() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

/// Waits for one of two descriptors, at most until `until`.
void AwaitUntil(pollfd (&descriptors)[2], SteadyTime until) {
  const auto left =
      std::max(std::chrono::nanoseconds(0),
               std::chrono::duration_cast<std::chrono::nanoseconds>(until - std::chrono::steady_clock::now()));
  const timespec timeout{static_cast<time_t>(left.count() / 1'000'000'000),
                         static_cast<long>(left.count() % 1'000'000'000)};
  ppoll(descriptors, 2, &timeout, nullptr);
}

}  // namespace

/// A client connection with its thread and the pending commands for its watch.
struct ReplayServer::Connection {
  explicit Connection(int socket) : http(socket), wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Connection() { close(wake); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void Tell(const Command& command) KINFORMER_EXCLUDES(mutex) {
    {
      const MutexLock lock(mutex);
      if (!watching) return;
      commands.push_back(command);
    }
    eventfd_write(wake, 1);
  }
  void SetWatching(bool on) KINFORMER_EXCLUDES(mutex) {
    const MutexLock lock(mutex);
    watching = on;
    commands.clear();
  }
  std::vector<Command> Take() KINFORMER_EXCLUDES(mutex) {
    eventfd_t count = 0;
    eventfd_read(wake, &count);
    const MutexLock lock(mutex);
    return std::exchange(commands, {});
  }

  HttpConnection http;
  const int wake;
  std::atomic<bool> ended = false;
  Mutex mutex;
  bool watching KINFORMER_GUARDED_BY(mutex) = false;
  std::vector<Command> commands KINFORMER_GUARDED_BY(mutex);
  std::thread thread;
};

ReplayServer::ReplayServer(ReplayServerOptions options)
    : options_(std::move(options)), version_(kFirstVersion), pod_versions_(options_.namespaces.size()) {
  for (std::size_t pod = 0; pod < pod_versions_.size(); ++pod) pod_versions_[pod] = kFirstPodVersion + pod;
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener_ < 0) Fail("socket");
  const int on = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(options_.port));
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 || listen(listener_, 128) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    const int error = errno;
    close(listener_);
    errno = error;
    Fail("bind");
  }
  port_ = ntohs(address.sin_port);
}

ReplayServer::~ReplayServer() {
  stopping_ = true;
  shutdown(listener_, SHUT_RDWR);
  if (acceptor_.joinable()) acceptor_.join();
  close(listener_);
  std::list<std::unique_ptr<Connection>> connections;
  {
    const MutexLock lock(mutex_);
    connections.swap(connections_);
  }
  for (const auto& connection : connections) {
    connection->http.Shutdown();
    eventfd_write(connection->wake, 1);
  }
  for (const auto& connection : connections) connection->thread.join();
}

void ReplayServer::Start() {
  acceptor_ = std::thread([this] { AcceptLoop(); });
}

void ReplayServer::AcceptLoop() {
  while (!stopping_) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (stopping_) {
      if (socket >= 0) close(socket);
      return;
    }
    if (socket < 0) continue;
    Reap();
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    auto connection = std::make_unique<Connection>(socket);
    const MutexLock lock(mutex_);
    if (connections_.size() >= kMaxConnections) continue;
    Connection& added = *connections_.emplace_back(std::move(connection));
    added.thread = std::thread([this, &added] { Serve(added); });
  }
}

void ReplayServer::Reap() {
  const MutexLock lock(mutex_);
  for (auto at = connections_.begin(); at != connections_.end();) {
    const auto next = std::next(at);
    if ((*at)->ended) {
      (*at)->thread.join();
      connections_.erase(at);
    }
    at = next;
  }
}

void ReplayServer::Serve(Connection& connection) {
  prctl(PR_SET_TIMERSLACK, 1UL);  // so that events leave on time
  while (const std::optional<HttpRequest> request = connection.http.ReadRequest()) {
    if (!Answer(connection, *request)) break;
  }
  connection.http.Shutdown();
  connection.ended = true;
}

const PodBytes& ReplayServer::Encoding(const HttpRequest& request) const {
  const bool protobuf = request.accept.starts_with("application/vnd.kubernetes.protobuf");
  return protobuf && options_.protobuf != nullptr ? *options_.protobuf : *options_.json;
}

std::optional<std::vector<std::size_t>> ReplayServer::PodsAt(std::string_view path) const {
  constexpr std::string_view kNamespaces = "/api/v1/namespaces/";
  constexpr std::string_view kPods = "/pods";
  std::vector<std::size_t> pods;
  if (path == "/api/v1/pods") {
    for (std::size_t pod = 0; pod < options_.namespaces.size(); ++pod) pods.push_back(pod);
    return pods;
  }
  if (!path.starts_with(kNamespaces) || !path.ends_with(kPods)) return std::nullopt;
  path.remove_prefix(kNamespaces.size());
  path.remove_suffix(std::min(path.size(), kPods.size()));
  for (std::size_t pod = 0; pod < options_.namespaces.size(); ++pod) {
    if (options_.namespaces[pod] == path) pods.push_back(pod);
  }
  return pods;
}

bool ReplayServer::Answer(Connection& connection, const HttpRequest& request) {
  if (request.method != "GET") return connection.http.SendWhole(405, "application/json", kNotAllowed);
  if (request.path == "/version") return connection.http.SendWhole(200, "application/json", kVersion);
  const std::optional<std::vector<std::size_t>> pods = PodsAt(request.path);
  if (!pods) return connection.http.SendWhole(404, "application/json", kNotFound);
  const std::string watch = request.Query("watch");
  if (watch != "true" && watch != "1") return AnswerList(connection.http, request, *pods);
  connection.SetWatching(true);
  const bool good = AnswerWatch(connection, request, *pods);
  connection.SetWatching(false);
  return good;
}

bool ReplayServer::AnswerList(HttpConnection& http, const HttpRequest& request, const std::vector<std::size_t>& pods) {
  // Like a real server: lists from the cache at version 0 are not paged.
  const std::string token = request.Query("continue");
  const std::uint64_t limit = request.Query("resourceVersion") == "0" ? 0 : Number(request.Query("limit"), 0);
  const std::size_t begin = std::min<std::size_t>(Number(token, 0), pods.size());
  const std::size_t end = limit == 0 ? pods.size() : std::min<std::size_t>(pods.size(), begin + limit);
  const std::vector<std::size_t> page(pods.begin() + static_cast<std::ptrdiff_t>(begin),
                                      pods.begin() + static_cast<std::ptrdiff_t>(end));
  const PodBytes& bytes = Encoding(request);
  http.BeginBody(bytes.ListContentType());
  bytes.AppendListHead(http.BeginChunk(),
                       {.version = version_,
                        .continue_token = end < pods.size() ? std::to_string(end) : std::string(),
                        .remaining = pods.size() - end},
                       page);
  if (!http.EndChunk()) return false;
  for (std::size_t i = 0; i < page.size();) {
    std::string& out = http.BeginChunk();
    for (const std::size_t stop = std::min(page.size(), i + kItemsPerChunk); i < stop; ++i) {
      bytes.AppendItem(out, page[i], {.version = pod_versions_[page[i]]}, i == 0);
    }
    if (!http.EndChunk()) return false;
  }
  bytes.AppendListTail(http.BeginChunk());
  return http.EndChunk() && http.EndBody();
}

bool ReplayServer::AnswerWatch(Connection& connection, const HttpRequest& request,
                               const std::vector<std::size_t>& pods) {
  HttpConnection& http = connection.http;
  const PodBytes& bytes = Encoding(request);
  const SteadyTime began = std::chrono::steady_clock::now();
  const SteadyTime end =
      began + std::min<std::chrono::seconds>(std::chrono::seconds(Number(request.Query("timeoutSeconds"), 3600)),
                                             kLongestWatch);
  http.BeginBody(bytes.WatchContentType());

  const std::string from = request.Query("resourceVersion");
  const bool streaming_list = request.Query("sendInitialEvents") == "true";
  if (streaming_list || from.empty() || from == "0") {
    for (const std::size_t pod : pods) {
      bytes.AppendEvent(http.BeginChunk(), EventType::kAdded, pod, {.version = pod_versions_[pod]});
      if (!http.EndChunk()) return false;
    }
  }
  if (streaming_list) {
    bytes.AppendBookmark(http.BeginChunk(), version_, true);
    if (!http.EndChunk()) return false;
  }
  if (!http.Flush()) return false;

  SteadyTime bookmark = began + options_.bookmark_every;
  while (!stopping_) {
    pollfd descriptors[2] = {{http.socket(), POLLIN | POLLRDHUP, 0}, {connection.wake, POLLIN, 0}};
    AwaitUntil(descriptors, std::min(bookmark, end));
    // A client sends nothing during a watch: it has disconnected, or pipelines requests, which is not supported.
    if (descriptors[0].revents != 0) return false;
    for (const Command& command : connection.Take()) {
      if (!command.expire) {
        if (!SendUpdates(http, bytes, pods, command)) return false;
        continue;
      }
      bytes.AppendExpired(http.BeginChunk());
      return http.EndChunk() && http.EndBody();
    }
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now >= end) return http.EndBody();
    if (now >= bookmark) {
      bookmark = now + options_.bookmark_every;
      bytes.AppendBookmark(http.BeginChunk(), version_, false);
      if (!http.EndChunk() || !http.Flush()) return false;
    }
  }
  return false;
}

bool ReplayServer::SendUpdates(HttpConnection& http, const PodBytes& bytes, const std::vector<std::size_t>& pods,
                               const Command& command) {
  if (pods.empty()) return true;
  const SteadyTime began = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < command.events; ++i) {
    if (command.per_second > 0) {
      const std::chrono::duration<double> due(static_cast<double>(i) / command.per_second);
      std::this_thread::sleep_until(began + std::chrono::duration_cast<std::chrono::nanoseconds>(due));
    }
    if (stopping_) return false;
    const Stamp stamp{.version = ++version_, .sent = NanosecondsSinceEpoch()};
    bytes.AppendEvent(http.BeginChunk(), EventType::kModified, pods[i % pods.size()], stamp);
    if (!http.EndChunk() || (command.per_second > 0 && !http.Flush())) return false;
  }
  return http.Flush();
}

void ReplayServer::Tell(const Command& command) {
  const MutexLock lock(mutex_);
  for (const auto& connection : connections_) connection->Tell(command);
}

void ReplayServer::SendEvents(std::uint64_t count, double per_second) {
  Tell({.events = count, .per_second = per_second});
}

void ReplayServer::Expire(double changed_part) {
  const double changed = std::ceil(std::clamp(changed_part, 0.0, 1.0) * static_cast<double>(pod_versions_.size()));
  for (std::size_t pod = 0; pod < static_cast<std::size_t>(changed); ++pod) pod_versions_[pod] = ++version_;
  Tell({.expire = true});
}

}  // namespace kinformer::bench
