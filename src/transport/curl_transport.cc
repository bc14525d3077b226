#include "src/transport/curl_transport.h"

#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/transport/curl_transfer.h"
#include "src/transport/flood_guard.h"

namespace kinformer::internal {
namespace {

// More streams on one connection than any API server allows; the server's own limit then decides.
constexpr long kMaxStreams = 10'000;
constexpr auto kLongestPoll = std::chrono::minutes(10);

void InitLibcurl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

int LocalPort(curl_socket_t socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
  return 0;
}

Error Closed() { return Error{.code = ErrorCode::kCancelled, .message = "the transport was closed"}; }

}  // namespace

/// The I/O thread and what belongs to it. Streams share it, so that they may outlive the transport.
class CurlTransport::Loop final : public TransferObserver {
 public:
  Loop(CurlTransportOptions options, Endpoint endpoint)
      : options_(std::move(options)),
        endpoint_(std::move(endpoint)),
        health_(options_.health),
        guard_(options_.flood_patience),
        speaks_http1_(!endpoint_.IsTls()) {
    multi_ = curl_multi_init();
    curl_multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
    curl_multi_setopt(multi_, CURLMOPT_MAX_CONCURRENT_STREAMS, kMaxStreams);
  }
  ~Loop() override = default;

  const CurlTransportOptions& options() const { return options_; }

  void StartThread() {
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  }

  /// Joins. Afterwards commands are ignored.
  void Stop() {
    thread_.request_stop();
    Wake();
    if (thread_.joinable()) thread_.join();
  }

  std::uint64_t Start(Request request, const std::shared_ptr<Exchange>& exchange) {
    auto transfer = std::make_unique<CurlTransfer>(std::move(request), endpoint_, options_, exchange);
    const std::uint64_t id = next_id_.fetch_add(1);
    transfer->id = id;
    {
      const MutexLock lock(mutex_);
      if (closed_) {
        exchange->Finish(Closed());
        return id;
      }
      commands_.push_back({CommandKind::kStart, id, std::move(transfer)});
    }
    Wake();
    return id;
  }

  void Cancel(std::uint64_t id) { Send(CommandKind::kCancel, id); }
  void Continue(std::uint64_t id) { Send(CommandKind::kContinue, id); }

  CurlTransportStats Stats() const {
    return {
        .connections_opened = opened_.load(), .connections_open = open_.load(), .requests_under_way = active_.load()};
  }

 private:
  enum class CommandKind { kStart, kCancel, kContinue };
  struct Command {
    CommandKind kind;
    std::uint64_t id;
    std::unique_ptr<CurlTransfer> transfer{};
  };
  struct Connection {
    curl_socket_t socket = CURL_SOCKET_BAD;
    std::shared_ptr<const TlsMaterial> tls{};
    std::optional<Error> lost{};
  };
  using Transfers = std::unordered_map<std::uint64_t, std::unique_ptr<CurlTransfer>>;

  void Send(CommandKind kind, std::uint64_t id) {
    {
      const MutexLock lock(mutex_);
      if (closed_) return;
      commands_.push_back({kind, id});
    }
    Wake();
  }

  void Wake() {
    const MutexLock lock(mutex_);
    if (!closed_) curl_multi_wakeup(multi_);
  }

  void Run(const std::stop_token& stop) {
    pthread_setname_np(pthread_self(), "kinformer-io");
    // A write to a closed socket must not kill the process, whatever the user does with signals.
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);

    guard_.StopWhen(stop);
    while (!stop.stop_requested()) {
      TakeCommands();
      int running = 0;
      do {
        Admit();
        guard_.Progress(Clock::System()->Now());
        curl_multi_perform(multi_, &running);
        TakeFinished();
      } while (MayAdmit());
      if (guard_.TakeEnded()) {
        options_.logger.Warning("transport", "closing a connection whose server sends without answering",
                                {{"server", endpoint_.Authority()}});
      }
      const TimePoint now = Clock::System()->Now();
      EndOverdue(now);
      CheckConnections(now);
      curl_multi_poll(multi_, nullptr, 0, PollTimeout(now), nullptr);
    }
    ShutDown();
  }

  void ShutDown() {
    std::vector<Command> unserved;
    {
      const MutexLock lock(mutex_);
      closed_ = true;
      unserved.swap(commands_);
    }
    for (const Command& command : unserved) {
      if (command.transfer) command.transfer->exchange().Finish(Closed());
    }
    for (const auto& transfer : waiting_) transfer->exchange().Finish(Closed());
    while (!transfers_.empty()) Remove(transfers_.begin(), CURLE_ABORTED_BY_CALLBACK, Closed());
    curl_multi_cleanup(multi_);
    multi_ = nullptr;
  }

  void TakeCommands() {
    std::vector<Command> commands;
    {
      const MutexLock lock(mutex_);
      commands.swap(commands_);
    }
    for (Command& command : commands) {
      if (command.kind == CommandKind::kStart) {
        command.transfer->Begin(*this, Clock::System()->Now());
        active_.fetch_add(1);
        waiting_.push_back(std::move(command.transfer));
        continue;
      }
      if (command.kind == CommandKind::kCancel && DropWaiting(command.id)) continue;
      const auto it = transfers_.find(command.id);
      if (it == transfers_.end()) continue;
      if (command.kind == CommandKind::kCancel) {
        Remove(it, CURLE_ABORTED_BY_CALLBACK, Error{.code = ErrorCode::kCancelled, .message = "cancelled"});
      } else {
        CurlTransfer& transfer = *it->second;
        const TimePoint now = Clock::System()->Now();
        transfer.last_byte = now;
        if (transfer.held_up && transfer.connection != 0) health_.HeldUp(transfer.connection, false, now);
        transfer.Continue();
      }
    }
  }

  // libcurl opens a connection for every request that finds the others full or still connecting: a hundred at once
  // where the server allows a hundred streams a connection. So, unless the server speaks HTTP/1.1 anyway, a request is
  // given to libcurl only when the one before has found its connection.
  bool MayAdmit() const { return !waiting_.empty() && (speaks_http1_ || unplaced_ == 0); }

  void Admit() {
    while (MayAdmit()) {
      Add(std::move(waiting_.front()));
      waiting_.pop_front();
    }
  }

  bool DropWaiting(std::uint64_t id) {
    const auto it =
        std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& transfer) { return transfer->id == id; });
    if (it == waiting_.end()) return false;
    waiting_.erase(it);
    active_.fetch_sub(1);
    return true;
  }

  void Add(std::unique_ptr<CurlTransfer> transfer) {
    CURL* handle = transfer->handle();
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &Loop::OpenSocket);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
    curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, &Loop::CloseSocket);
    curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, static_cast<void*>(this));
    if (endpoint_.IsTls()) guard_.Watch(handle);
    ++unplaced_;
    const std::uint64_t id = transfer->id;
    transfers_.emplace(id, std::move(transfer));
    curl_multi_add_handle(multi_, handle);
  }

  void Remove(Transfers::iterator it, CURLcode code, const std::optional<Error>& error) {
    const std::unique_ptr<CurlTransfer> transfer = std::move(it->second);
    transfers_.erase(it);
    if (transfer->connection != 0) {
      if (transfer->held_up) health_.HeldUp(transfer->connection, false, Clock::System()->Now());
      health_.StreamLeft(transfer->connection, transfer->request().resumable);
    }
    if (!transfer->placed) --unplaced_;
    curl_multi_remove_handle(multi_, transfer->handle());
    active_.fetch_sub(1);
    transfer->Finish(code, error);
  }

  void TakeFinished() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      char* pointer = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &pointer);
      const auto& transfer = *reinterpret_cast<const CurlTransfer*>(pointer);
      if (transfer.probe_for != 0 && code == CURLE_OK) health_.ProbeAnswered(transfer.probe_for);
      std::optional<Error> lost;
      if (const auto connection = connections_.find(transfer.connection); connection != connections_.end()) {
        lost = connection->second.lost;
      } else if (const auto gone = lost_.find(transfer.connection); gone != lost_.end()) {
        lost = gone->second;
      }
      Remove(transfers_.find(transfer.id), code, lost);
    }
  }

  void EndOverdue(TimePoint now) {
    for (auto it = transfers_.begin(); it != transfers_.end();) {
      const auto current = it++;
      const std::optional<TimePoint> deadline = current->second->Deadline();
      if (deadline && *deadline <= now) {
        Remove(current, CURLE_OPERATION_TIMEDOUT, current->second->DeadlineError());
      }
    }
    std::erase_if(waiting_, [&](const std::unique_ptr<CurlTransfer>& transfer) {
      const TimePoint deadline = WaitingDeadline(*transfer);
      if (now < deadline) return false;
      active_.fetch_sub(1);
      transfer->Finish(CURLE_OPERATION_TIMEDOUT,
                       transfer->Deadline() == deadline ? std::optional(transfer->DeadlineError()) : std::nullopt);
      return true;
    });
  }

  // While it waits for another's connection, that connection's time to be made is also its own.
  TimePoint WaitingDeadline(const CurlTransfer& transfer) const {
    const TimePoint connect = transfer.begun() + options_.connect_timeout;
    return std::min(connect, transfer.Deadline().value_or(connect));
  }

  void CheckConnections(TimePoint now) {
    for (const ConnectionHealth::Action& action : health_.Tick(now)) {
      const auto it = connections_.find(action.connection);
      if (it == connections_.end()) continue;
      if (action.kind == ConnectionHealth::ActionKind::kProbe) {
        Probe(it->first, it->second);
      } else {
        const auto silent = std::chrono::duration_cast<std::chrono::milliseconds>(options_.health.probe_after +
                                                                                  options_.health.probe_timeout);
        it->second.lost = Error{.code = ErrorCode::kDisconnected,
                                .message = "connection to " + endpoint_.Authority() + " was silent for " +
                                           std::to_string(silent.count()) + " ms and did not answer a probe"};
        options_.logger.Warning("transport", "closing a connection that has gone silent",
                                {{"server", endpoint_.Authority()}});
        // Closing it is libcurl's business; this makes every stream on it fail, and none be put there again.
        shutdown(it->second.socket, SHUT_RDWR);
      }
    }
  }

  void Probe(std::uint64_t connection, const Connection& state) {
    auto transfer = std::make_unique<CurlTransfer>(
        Request{.method = "GET",
                .target = options_.probe_target,
                .timeout = std::chrono::duration_cast<std::chrono::milliseconds>(options_.health.probe_timeout),
                .tls = state.tls},
        endpoint_, options_, std::make_shared<Exchange>(options_.queue_bytes));
    transfer->id = next_id_.fetch_add(1);
    transfer->probe_for = connection;
    transfer->Begin(*this, Clock::System()->Now());
    active_.fetch_add(1);
    Add(std::move(transfer));
  }

  int PollTimeout(TimePoint now) const {
    Duration wait = kLongestPoll;
    for (const auto& [id, transfer] : transfers_) {
      if (const auto deadline = transfer->Deadline()) wait = std::min(wait, *deadline - now);
    }
    for (const auto& transfer : waiting_) wait = std::min(wait, WaitingDeadline(*transfer) - now);
    if (const auto tick = health_.NextTick()) wait = std::min(wait, *tick - now);
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(std::max(wait, Duration::zero()));
    return static_cast<int>(ms.count());
  }

  void OnConnection(CurlTransfer& transfer, int local_port) override {
    if (!transfer.placed) --unplaced_;
    transfer.placed = true;
    const auto it = std::find_if(connections_.begin(), connections_.end(),
                                 [&](const auto& entry) { return LocalPort(entry.second.socket) == local_port; });
    if (it == connections_.end()) return;
    // A request that libcurl sends again, after the connection it was put on turned out dead, moves.
    if (transfer.connection != 0) health_.StreamLeft(transfer.connection, transfer.request().resumable);
    transfer.connection = it->first;
    it->second.tls = transfer.tls();
    health_.StreamJoined(it->first, Clock::System()->Now(), transfer.request().resumable);
  }

  void OnBytes(CurlTransfer& transfer) override {
    const TimePoint now = Clock::System()->Now();
    transfer.last_byte = now;
    guard_.Progress(now);
    if (transfer.connection != 0) health_.Heard(transfer.connection, now);
  }

  void OnHead(bool http1) override { speaks_http1_ = http1; }

  void OnHeldUp(CurlTransfer& transfer) override {
    if (transfer.connection != 0) health_.HeldUp(transfer.connection, true, Clock::System()->Now());
  }

  static curl_socket_t OpenSocket(void* self, curlsocktype, curl_sockaddr* address) {
    const int socket_fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (socket_fd < 0) return CURL_SOCKET_BAD;
    auto& loop = *static_cast<Loop*>(self);
    loop.connections_.emplace(loop.next_connection_++, Connection{.socket = socket_fd});
    loop.opened_.fetch_add(1);
    loop.open_.fetch_add(1);
    return socket_fd;
  }

  static int CloseSocket(void* self, curl_socket_t socket_fd) {
    auto& loop = *static_cast<Loop*>(self);
    const auto it = std::find_if(loop.connections_.begin(), loop.connections_.end(),
                                 [&](const auto& entry) { return entry.second.socket == socket_fd; });
    if (it != loop.connections_.end()) {
      if (it->second.lost) loop.Remember(it->first, *it->second.lost);
      loop.health_.Closed(it->first);
      loop.connections_.erase(it);
      loop.open_.fetch_sub(1);
    }
    return close(socket_fd);
  }

  // libcurl may close a connection before it has told all its streams; their readers should still learn why.
  void Remember(std::uint64_t connection, const Error& error) {
    constexpr std::size_t kRemembered = 16;
    if (lost_.size() >= kRemembered) lost_.erase(lost_.begin());
    lost_.emplace(connection, error);
  }

  const CurlTransportOptions options_;
  const Endpoint endpoint_;
  std::atomic<std::uint64_t> next_id_ = 1;
  std::atomic<std::size_t> opened_ = 0;
  std::atomic<std::size_t> open_ = 0;
  std::atomic<std::size_t> active_ = 0;

  Mutex mutex_;
  std::vector<Command> commands_ KINFORMER_GUARDED_BY(mutex_);
  bool closed_ KINFORMER_GUARDED_BY(mutex_) = false;

  // The I/O thread's own, but for curl_multi_wakeup.
  CURLM* multi_;
  ConnectionHealth health_;
  FloodGuard guard_;
  std::uint64_t next_connection_ = 1;
  std::map<std::uint64_t, Connection> connections_;
  std::map<std::uint64_t, Error> lost_;
  Transfers transfers_;
  std::deque<std::unique_ptr<CurlTransfer>> waiting_;  // not given to libcurl yet
  std::size_t unplaced_ = 0;                           // given to it, and without a connection
  bool speaks_http1_;

  std::jthread thread_;
};

/// What the consumer holds.
class CurlTransport::Stream final : public ResponseStream {
 public:
  Stream(std::shared_ptr<Loop> loop, std::shared_ptr<Exchange> exchange, std::uint64_t id)
      : loop_(std::move(loop)), exchange_(std::move(exchange)), id_(id) {}
  ~Stream() override {
    exchange_->NotifyWhenReady(nullptr);
    if (loop_) loop_->Cancel(id_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Result<std::optional<ResponsePart>> TryNext() override {
    Result<Exchange::Taken> taken = exchange_->TryNext();
    if (!taken) return std::move(taken).error();
    if (taken->resume) loop_->Continue(id_);
    return std::move(taken->part);
  }

  void NotifyWhenReady(std::function<void()> ready) override { exchange_->NotifyWhenReady(std::move(ready)); }
  void Recycle(std::string chunk) override { exchange_->Recycle(std::move(chunk)); }

 private:
  std::shared_ptr<Loop> loop_;
  std::shared_ptr<Exchange> exchange_;
  std::uint64_t id_;
};

Result<std::unique_ptr<CurlTransport>> CurlTransport::Create(CurlTransportOptions options) {
  InitLibcurl();
  Result<Endpoint> endpoint = Endpoint::Parse(options.server);
  if (!endpoint) return std::move(endpoint).error();
  auto loop = std::make_shared<Loop>(std::move(options), *std::move(endpoint));
  loop->StartThread();
  return std::unique_ptr<CurlTransport>(new CurlTransport(std::move(loop)));
}

CurlTransport::CurlTransport(std::shared_ptr<Loop> loop) : loop_(std::move(loop)) {}

CurlTransport::~CurlTransport() { loop_->Stop(); }

std::unique_ptr<ResponseStream> CurlTransport::Start(Request request) {
  auto exchange = std::make_shared<Exchange>(loop_->options().queue_bytes);
  if (Result<void> checked = CheckRequest(request); !checked) {
    exchange->Finish(std::move(checked));
    return std::make_unique<Stream>(nullptr, std::move(exchange), 0);
  }
  const std::uint64_t id = loop_->Start(std::move(request), exchange);
  return std::make_unique<Stream>(loop_, std::move(exchange), id);
}

CurlTransportStats CurlTransport::Stats() const { return loop_->Stats(); }

}  // namespace kinformer::internal
