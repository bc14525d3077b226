#include "test/support/scripted_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <variant>

#include "test/support/fd.h"

namespace kinformer::testing_support {

bool IgnoreCase::operator()(std::string_view a, std::string_view b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) < std::tolower(y);
  });
}

std::string ReceivedRequest::Header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

std::string ReceivedRequest::Query(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

// ---------------------------------------------------------------------------------------------------------------------
// StreamHandle

struct StreamHandle::State {
  struct Close {};
  struct Cut {
    std::string last_bytes;
    bool reset;
  };
  using Step = std::variant<std::string, Close, Cut>;

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Step> steps;
  bool sending = false;
  bool opened = false;
  bool ended = false;
  bool client_gone = false;
  BodyWriter* writer = nullptr;

  void Push(Step step) {
    const std::lock_guard lock(mutex);
    steps.push_back(std::move(step));
    if (writer != nullptr) writer->Wake();
  }

  template <typename Predicate>
  bool Await(std::chrono::milliseconds timeout, Predicate predicate) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, timeout, predicate);
  }

  // Produces the response body, on the connection's thread.
  bool Run(BodyWriter& out) {
    std::unique_lock lock(mutex);
    if (opened) {
      ADD_FAILURE() << "one StreamHandle was given to two replies: each body needs a handle of its own";
      return false;
    }
    writer = &out;
    opened = true;
    changed.notify_all();
    bool proper_end = false;
    for (;;) {
      if (steps.empty()) {
        lock.unlock();
        const bool alive = out.Wait(std::nullopt);
        lock.lock();
        if (!alive) {
          client_gone = true;
          break;
        }
        continue;
      }
      const Step step = std::move(steps.front());
      steps.pop_front();
      if (std::holds_alternative<Close>(step)) {
        proper_end = true;
        break;
      }
      sending = true;
      lock.unlock();
      bool written = true;
      const auto* cut = std::get_if<Cut>(&step);
      if (cut == nullptr) {
        written = out.Write(std::get<std::string>(step));
      } else {
        if (!cut->last_bytes.empty()) out.WriteRaw(cut->last_bytes);
        if (cut->reset) out.ResetAtEnd();
      }
      lock.lock();
      sending = false;
      changed.notify_all();
      client_gone = !written;
      if (cut != nullptr || client_gone) break;
    }
    writer = nullptr;
    ended = true;
    changed.notify_all();
    return proper_end;
  }
};

StreamHandle::StreamHandle() : state_(std::make_shared<State>()) {}
void StreamHandle::Send(std::string bytes) const { state_->Push(std::move(bytes)); }
void StreamHandle::Close() const { state_->Push(State::Close{}); }
void StreamHandle::Cut() const { state_->Push(State::Cut{"", false}); }
void StreamHandle::Abort() const { state_->Push(State::Cut{"", true}); }
void StreamHandle::CutInsideChunk(std::string bytes, std::size_t announced) const {
  std::array<char, 32> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", announced);
  state_->Push(State::Cut{size.data() + std::move(bytes), false});
}
bool StreamHandle::AwaitOpen(std::chrono::milliseconds timeout) const {
  return state_->Await(timeout, [this] { return state_->opened; });
}
bool StreamHandle::AwaitSent(std::chrono::milliseconds timeout) const {
  return state_->Await(timeout, [this] { return state_->opened && state_->steps.empty() && !state_->sending; });
}
bool StreamHandle::AwaitEnd(std::chrono::milliseconds timeout) const {
  return state_->Await(timeout, [this] { return state_->ended; });
}
bool StreamHandle::AwaitClientGone(std::chrono::milliseconds timeout) const {
  return state_->Await(timeout, [this] { return state_->ended && state_->client_gone; });
}

// ---------------------------------------------------------------------------------------------------------------------
// Reply

struct Gate::State {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
  std::vector<BodyWriter*> waiting;

  bool Pass(BodyWriter& out) {
    std::unique_lock lock(mutex);
    waiting.push_back(&out);
    changed.notify_all();
    bool alive = true;
    while (!open && alive) {
      lock.unlock();
      alive = out.Wait(std::nullopt);
      lock.lock();
    }
    std::erase(waiting, &out);
    return alive;
  }
};

Gate::Gate() : state_(std::make_shared<State>()) {}
void Gate::Open() const {
  const std::lock_guard lock(state_->mutex);
  state_->open = true;
  for (BodyWriter* writer : state_->waiting) writer->Wake();
}
bool Gate::AwaitWaiting(std::size_t n, std::chrono::milliseconds timeout) const {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, timeout, [&] { return state_->waiting.size() >= n; });
}

Reply Reply::Behind(const Gate& gate) const {
  Reply reply = *this;
  reply.before = [state = gate.state_, then = before](BodyWriter& out) {
    return state->Pass(out) && (!then || then(out));
  };
  return reply;
}

Reply Reply::Json(std::string body, int status) {
  Reply reply;
  reply.status = status;
  reply.body = std::move(body);
  return reply;
}

Reply Reply::Stream(const StreamHandle& handle) {
  Reply reply;
  reply.stream = [state = handle.state_](BodyWriter& out) { return state->Run(out); };
  return reply;
}

Reply Reply::Status(int code, const std::string& reason, const std::string& message) {
  return Json(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" + message +
                  R"(","reason":")" + reason + R"(","code":)" + std::to_string(code) + "}",
              code);
}

Reply Reply::Nothing(bool reset) {
  Reply reply;
  reply.raw = "";
  if (reset) {
    reply.before = [](BodyWriter& out) {
      out.ResetAtEnd();
      return true;
    };
  }
  return reply;
}

// ---------------------------------------------------------------------------------------------------------------------
// The server

namespace {

struct FreeSsl {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(X509* cert) const { X509_free(cert); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using SslContext = std::unique_ptr<SSL_CTX, FreeSsl>;
using BioPtr = std::unique_ptr<BIO, FreeSsl>;
using CertPtr = std::unique_ptr<X509, FreeSsl>;

BioPtr TextBio(const std::string& text) { return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

CertPtr ParseCert(const std::string& pem) {
  return CertPtr(PEM_read_bio_X509(TextBio(pem).get(), nullptr, nullptr, nullptr));
}

SslContext NewContext(const CertificateAndKey& identity, const ScriptedServerOptions& options) {
  SslContext context(SSL_CTX_new(TLS_server_method()));
  const CertPtr cert = ParseCert(identity.cert_pem);
  const std::unique_ptr<EVP_PKEY, FreeSsl> key(
      PEM_read_bio_PrivateKey(TextBio(identity.key_pem).get(), nullptr, nullptr, nullptr));
  if (!context || !cert || !key || SSL_CTX_use_certificate(context.get(), cert.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context.get(), key.get()) != 1) {
    throw std::runtime_error("ScriptedServer: bad certificate or key");
  }
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  static constexpr std::string_view kSession = "kinformer";
  SSL_CTX_set_session_id_context(context.get(), reinterpret_cast<const unsigned char*>(kSession.data()),
                                 static_cast<unsigned>(kSession.size()));
  if (!options.client_ca_pem.empty()) {
    const CertPtr ca = ParseCert(options.client_ca_pem);
    if (!ca || X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), ca.get()) != 1 ||
        SSL_CTX_add_client_CA(context.get(), ca.get()) != 1) {
      throw std::runtime_error("ScriptedServer: bad client CA");
    }
    SSL_CTX_set_verify(context.get(),
                       SSL_VERIFY_PEER | (options.require_client_certificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                       nullptr);
  }
  return context;
}

// A connection as a cpp-httplib Stream. Blocks only in poll, which the server's stop also wakes. Has no timeouts, so
// that tests observe only the client's. Used on the connection's thread only, except Wake and Break.
class Connection final : public httplib::Stream {
 public:
  Connection(Fd fd, std::uint64_t id, int peer_port, const WakeFd& stop)
      : fd_(std::move(fd)), id_(id), peer_port_(peer_port), stop_(stop) {}

  bool Handshake(SSL_CTX* context) {
    ssl_.reset(SSL_new(context));
    SSL_set_fd(ssl_.get(), fd_.get());
    for (;;) {
      ERR_clear_error();
      const int result = SSL_accept(ssl_.get());
      if (result == 1) break;
      if (!AwaitSsl(result)) return false;
    }
    if (const CertPtr cert{SSL_get1_peer_certificate(ssl_.get())}) {
      std::array<char, 256> name{};
      if (X509_NAME_get_text_by_NID(X509_get_subject_name(cert.get()), NID_commonName, name.data(),
                                    static_cast<int>(name.size())) >= 0) {
        client_cn_ = name.data();
      }
    }
    return true;
  }

  // Blocks until the next request begins to arrive. False if there is none.
  bool AwaitRequest() { return next_ < buffered_ || Fill(); }

  void Close() {
    // Does not wait for the client, which may be in the middle of a handshake or a request.
    if (ssl_ && !reset_ && !broken_ && SSL_is_init_finished(ssl_.get())) {
      ERR_clear_error();
      SSL_shutdown(ssl_.get());
    }
    ssl_.reset();
    if (reset_ || broken_) ResetOnClose(fd_.get());
    fd_.Reset();
  }

  // Wakes the connection's thread, which then resets the connection. Callable from any thread.
  void Break() {
    broken_ = true;
    wake_.Set();
  }

  bool WriteAll(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = write(bytes.data(), bytes.size());
      if (sent < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  bool Wait(std::optional<std::chrono::milliseconds> time) {
    const auto deadline =
        time ? std::chrono::steady_clock::now() + *time : std::chrono::steady_clock::time_point::max();
    return Poll(POLLRDHUP, deadline, true) != PollResult::kOver;
  }

  void Wake() const { wake_.Set(); }
  void ResetAtEnd() { reset_ = true; }
  // From now on, discards what cpp-httplib writes as the response.
  void Mute() { muted_ = true; }

  std::uint64_t id() const { return id_; }
  int peer_port() const { return peer_port_; }
  const std::string& client_cn() const { return client_cn_; }
  bool muted() const { return muted_; }

  bool is_readable() const override { return true; }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, size_t size) override {
    if (next_ == buffered_ && !Fill()) return -1;
    const std::size_t n = std::min(size, buffered_ - next_);
    std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(next_), n, to);
    next_ += n;
    return static_cast<ssize_t>(n);
  }
  ssize_t write(const char* from, size_t size) override {
    if (muted_) return static_cast<ssize_t>(size);
    for (;;) {
      if (broken_) return -1;
      if (ssl_) {
        ERR_clear_error();
        const int sent = SSL_write(ssl_.get(), from, static_cast<int>(std::min<size_t>(size, 1U << 30U)));
        if (sent > 0) return sent;
        if (!AwaitSsl(sent)) return -1;
      } else {
        const ssize_t sent = send(fd_.get(), from, size, MSG_NOSIGNAL);
        if (sent >= 0) return sent;
        if (errno != EAGAIN || !AwaitFd(POLLOUT)) return -1;
      }
    }
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    ip = "127.0.0.1";
    port = peer_port_;
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    ip = "127.0.0.1";
    port = LocalPort(fd_.get());
  }
  socket_t socket() const override { return fd_.get(); }

 private:
  enum class PollResult { kReady, kWoken, kTime, kOver };

  // A wake-up that is not meant for the caller stays pending for the next Wait.
  PollResult Poll(short events, std::chrono::steady_clock::time_point deadline, bool wakeable) const {
    for (;;) {
      std::array<pollfd, 3> fds{{{fd_.get(), events, 0}, {stop_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
      if (!wakeable && wake_pending_) fds[2].fd = -1;
      const int ready = poll(fds.data(), fds.size(), PollTimeout(deadline));
      if (ready < 0 && errno == EINTR) continue;
      if (ready < 0 || fds[1].revents != 0 || broken_) return PollResult::kOver;
      if ((fds[0].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0 && (fds[0].revents & POLLIN) == 0) {
        return PollResult::kOver;
      }
      if ((fds[0].revents & POLLRDHUP) != 0 && (events & POLLRDHUP) != 0) return PollResult::kOver;
      if (fds[2].revents != 0) {
        wake_.Clear();
        if (broken_) return PollResult::kOver;
        wake_pending_ = true;
      }
      if (wakeable && wake_pending_) {
        wake_pending_ = false;
        return PollResult::kWoken;
      }
      if (fds[0].revents != 0) return PollResult::kReady;
      if (ready == 0) return PollResult::kTime;
    }
  }

  bool AwaitFd(short events) const {
    return Poll(events, std::chrono::steady_clock::time_point::max(), false) == PollResult::kReady;
  }

  bool AwaitSsl(int result) const {
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ:
        return AwaitFd(POLLIN);
      case SSL_ERROR_WANT_WRITE:
        return AwaitFd(POLLOUT);
      default:
        return false;
    }
  }

  bool Fill() {
    for (;;) {
      if (broken_) return false;
      ssize_t got = 0;
      if (ssl_) {
        ERR_clear_error();
        const int n = SSL_read(ssl_.get(), buffer_.data(), static_cast<int>(buffer_.size()));
        if (n <= 0) {
          if (!AwaitSsl(n)) return false;
          continue;
        }
        got = n;
      } else {
        got = recv(fd_.get(), buffer_.data(), buffer_.size(), 0);
        if (got == 0) return false;
        if (got < 0) {
          if (errno != EAGAIN || !AwaitFd(POLLIN)) return false;
          continue;
        }
      }
      next_ = 0;
      buffered_ = static_cast<std::size_t>(got);
      return true;
    }
  }

  Fd fd_;
  const std::uint64_t id_;
  const int peer_port_;
  const WakeFd& stop_;
  WakeFd wake_;
  mutable bool wake_pending_ = false;
  std::unique_ptr<SSL, FreeSsl> ssl_;
  std::string client_cn_;
  std::array<char, 16 * 1024> buffer_{};
  std::size_t next_ = 0;
  std::size_t buffered_ = 0;
  bool muted_ = false;
  bool reset_ = false;
  std::atomic<bool> broken_{false};
};

class ConnectionWriter final : public BodyWriter {
 public:
  ConnectionWriter(Connection& connection, httplib::DataSink* sink) : connection_(connection), sink_(sink) {}
  bool Write(std::string_view bytes) override {
    // An empty chunk would terminate the body.
    if (bytes.empty()) return true;
    return sink_ != nullptr && sink_->write(bytes.data(), bytes.size());
  }
  bool WriteRaw(std::string_view bytes) override { return connection_.WriteAll(bytes); }
  bool Wait(std::optional<std::chrono::milliseconds> time) override { return connection_.Wait(time); }
  void Wake() override { connection_.Wake(); }
  void ResetAtEnd() override { connection_.ResetAtEnd(); }

 private:
  Connection& connection_;
  httplib::DataSink* sink_;
};

}  // namespace

// cpp-httplib only parses requests and formats responses. Sockets and threads are managed here, because its own can be
// neither woken nor reset.
class ScriptedServer::Impl final : public httplib::Server {
 public:
  explicit Impl(const ScriptedServerOptions& options) : tls_(options.tls) {
    if (tls_) {
      std::optional<TestCa> own;
      if (options.ca == nullptr) ca_pem_ = own.emplace().CertPem();
      context_ = NewContext((own ? *own : *options.ca).IssueServer(options.certificate), options);
    }
    const auto respond = [this](const httplib::Request& request, httplib::Response& response) {
      Respond(request, response);
    };
    const std::string any = R"([\s\S]*)";
    Get(any, respond).Post(any, respond).Put(any, respond).Patch(any, respond).Delete(any, respond);
    Options(any, respond);
    set_keep_alive_max_count(1'000'000);
    set_keep_alive_timeout(3600);
    listener_ = ListenOnLoopback();
    port_ = LocalPort(listener_.get());
    // cpp-httplib takes a server without a socket as shutting down, and would end its streams.
    svr_sock_ = listener_.get();
    acceptor_ = std::thread([this] { Accept(); });
  }

  ~Impl() override {
    stop_.Set();
    acceptor_.join();
    for (Worker& worker : workers_) worker.thread.join();
    svr_sock_ = INVALID_SOCKET;
  }

  void SetHandler(ScriptedServer::Handler handler) {
    const std::lock_guard lock(mutex_);
    handler_ = std::move(handler);
  }
  void Enqueue(Reply reply) {
    const std::lock_guard lock(mutex_);
    script_.push_back(std::move(reply));
  }
  int port() const { return port_; }
  bool tls() const { return tls_; }
  const std::string& ca_pem() const { return ca_pem_; }
  std::vector<ReceivedRequest> Requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  std::size_t accepted() const {
    const std::lock_guard lock(mutex_);
    return accepted_;
  }
  std::size_t open() const {
    const std::lock_guard lock(mutex_);
    return open_.size();
  }
  bool AwaitRequests(std::size_t n, std::chrono::milliseconds timeout) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [&] { return requests_.size() >= n; });
  }
  bool AwaitOpen(std::size_t n, std::chrono::milliseconds timeout) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [&] { return open_.size() == n; });
  }
  void ResetConnections() {
    std::unique_lock lock(mutex_);
    const std::uint64_t last = accepted_;
    for (Connection* victim : open_) victim->Break();
    changed_.wait_for(lock, kPatience, [&] {
      return std::all_of(open_.begin(), open_.end(), [&](const Connection* left) { return left->id() > last; });
    });
  }

 private:
  struct Worker {
    std::thread thread;
    std::atomic<bool> done{false};
  };

  void Accept() {
    for (;;) {
      std::array<pollfd, 2> fds{{{listener_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
      if (poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
      if (fds[1].revents != 0) return;
      sockaddr_in peer{};
      socklen_t size = sizeof peer;
      Fd fd(accept4(listener_.get(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!fd) continue;
      const int on = 1;
      setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      workers_.remove_if([](Worker& worker) {
        if (!worker.done) return false;
        worker.thread.join();
        return true;
      });
      std::uint64_t id = 0;
      {
        const std::lock_guard lock(mutex_);
        id = ++accepted_;
      }
      auto connection = std::make_unique<Connection>(std::move(fd), id, ntohs(peer.sin_port), stop_);
      {
        const std::lock_guard lock(mutex_);
        open_.push_back(connection.get());
        changed_.notify_all();
      }
      Worker& worker = workers_.emplace_back();
      worker.thread = std::thread([this, &worker, mine = std::move(connection)]() mutable {
        Serve(*mine);
        mine->Close();
        {
          const std::lock_guard lock(mutex_);
          std::erase(open_, mine.get());
          changed_.notify_all();
        }
        mine.reset();
        worker.done = true;
      });
    }
  }

  void Serve(Connection& connection) {
    if (context_ && !connection.Handshake(context_.get())) return;
    for (;;) {
      if (!connection.AwaitRequest()) return;
      current_ = Exchange{&connection, {}, false};
      bool closed = false;
      const bool good = process_request(connection, false, closed, [](httplib::Request& request) {
        current_.received.headers = HeaderMap(request.headers.begin(), request.headers.end());
        for (const char* added : {"REMOTE_ADDR", "REMOTE_PORT", "LOCAL_ADDR", "LOCAL_PORT"}) {
          current_.received.headers.erase(added);
        }
        // Otherwise cpp-httplib would compress, and would read a body without a length until the connection closes.
        request.headers.erase("Accept-Encoding");
        // Otherwise it would parse forms, and refuse large ones.
        request.headers.erase("Content-Type");
        request.headers.erase("Range");
        request.ranges.clear();
        if (!request.has_header("Content-Length") && !request.has_header("Transfer-Encoding")) {
          request.set_header("Content-Length", "0");
        }
      });
      if (!good || closed || current_.close || connection.muted()) return;
    }
  }

  void Respond(const httplib::Request& request, httplib::Response& response) {
    Connection& connection = *current_.connection;
    ReceivedRequest& received = current_.received;
    received.method = request.method;
    received.target = request.target;
    received.path = request.path;
    received.query.insert(request.params.begin(), request.params.end());
    received.body = request.body;
    received.client_cn = connection.client_cn();
    received.connection_id = connection.id();
    received.peer_port = connection.peer_port();

    Reply reply = Answer(received);
    ConnectionWriter plain(connection, nullptr);
    if (reply.before && !reply.before(plain)) {
      connection.Mute();
      return;
    }
    if (reply.raw) {
      connection.WriteAll(*reply.raw);
      connection.Mute();
      return;
    }
    current_.close = reply.close;
    response.status = reply.status;
    for (const auto& [name, value] : reply.headers) response.headers.emplace(name, value);
    if (!reply.stream) {
      response.set_content(reply.body, reply.content_type);
      return;
    }
    response.set_chunked_content_provider(
        reply.content_type, [&connection, stream = std::move(reply.stream)](std::size_t, httplib::DataSink& sink) {
          ConnectionWriter writer(connection, &sink);
          if (!stream(writer)) return false;
          sink.done();
          return true;
        });
  }

  Reply Answer(const ReceivedRequest& received) {
    ScriptedServer::Handler handler;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(received);
      changed_.notify_all();
      if (!script_.empty()) {
        Reply reply = std::move(script_.front());
        script_.pop_front();
        return reply;
      }
      handler = handler_;
    }
    if (handler) return handler(received);
    return Reply::Status(404, "NotFound", "nothing scripted for this request");
  }

  struct Exchange {
    Connection* connection = nullptr;
    ReceivedRequest received;
    bool close = false;
  };
  // cpp-httplib calls its handler on the thread that reads the request, without telling which connection it is.
  static thread_local Exchange current_;

  const bool tls_;
  std::string ca_pem_;
  SslContext context_;
  Fd listener_;
  int port_ = 0;
  WakeFd stop_;

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  ScriptedServer::Handler handler_;
  std::deque<Reply> script_;
  std::vector<ReceivedRequest> requests_;
  std::vector<Connection*> open_;
  std::size_t accepted_ = 0;

  std::list<Worker> workers_;  // accessed only by the acceptor while it runs
  std::thread acceptor_;
};

thread_local ScriptedServer::Impl::Exchange ScriptedServer::Impl::current_;

ScriptedServer::ScriptedServer(ScriptedServerOptions options) : impl_(std::make_unique<Impl>(options)) {}
ScriptedServer::~ScriptedServer() = default;
void ScriptedServer::Handle(Handler handler) { impl_->SetHandler(std::move(handler)); }
void ScriptedServer::Enqueue(Reply reply) { impl_->Enqueue(std::move(reply)); }
int ScriptedServer::port() const { return impl_->port(); }
std::string ScriptedServer::url() const {
  return (impl_->tls() ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port());
}
std::string ScriptedServer::ca_pem() const { return impl_->ca_pem(); }
std::vector<ReceivedRequest> ScriptedServer::Requests() const { return impl_->Requests(); }
bool ScriptedServer::AwaitRequests(std::size_t n, std::chrono::milliseconds timeout) const {
  return impl_->AwaitRequests(n, timeout);
}
std::size_t ScriptedServer::connections() const { return impl_->accepted(); }
std::size_t ScriptedServer::open_connections() const { return impl_->open(); }
bool ScriptedServer::AwaitOpenConnections(std::size_t n, std::chrono::milliseconds timeout) const {
  return impl_->AwaitOpen(n, timeout);
}
void ScriptedServer::ResetConnections() { impl_->ResetConnections(); }

}  // namespace kinformer::testing_support
