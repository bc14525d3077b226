#include "test/hostile/http2_server.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include <openssl/pem.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace kinformer::testing_support {

namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr std::size_t kFrameHead = 9;

int ChooseHttp2(SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered, unsigned length,
                void*) {
  static constexpr std::array<unsigned char, 3> kHttp2 = {2, 'h', '2'};
  unsigned char* selected = nullptr;
  if (SSL_select_next_proto(&selected, size, kHttp2.data(), kHttp2.size(), offered, length) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *chosen = selected;
  return SSL_TLSEXT_ERR_OK;
}

void Use(SSL_CTX* context, const CertificateAndKey& made) {
  const std::unique_ptr<BIO, int (*)(BIO*)> cert(BIO_new_mem_buf(made.cert_pem.data(), -1), &BIO_free);
  const std::unique_ptr<BIO, int (*)(BIO*)> key(BIO_new_mem_buf(made.key_pem.data(), -1), &BIO_free);
  const std::unique_ptr<X509, void (*)(X509*)> x509(PEM_read_bio_X509(cert.get(), nullptr, nullptr, nullptr),
                                                    &X509_free);
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> pkey(
      PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  if (SSL_CTX_use_certificate(context, x509.get()) != 1 || SSL_CTX_use_PrivateKey(context, pkey.get()) != 1) {
    throw std::runtime_error("the server's certificate cannot be used");
  }
}

}  // namespace

std::string Number(std::uint32_t number) {
  return {static_cast<char>(number >> 24U), static_cast<char>(number >> 16U), static_cast<char>(number >> 8U),
          static_cast<char>(number)};
}

std::string Setting(std::uint16_t name, std::uint32_t value) {
  return std::string{static_cast<char>(name >> 8U), static_cast<char>(name)} + Number(value);
}

std::string PlainHeader(std::string_view name, std::string_view value) {
  std::string bytes(1, '\0');
  for (const std::string_view part : {name, value}) {
    bytes += static_cast<char>(part.size());
    bytes += part;
  }
  return bytes;
}

std::string Frame::Bytes() const {
  return Number(static_cast<std::uint32_t>(payload.size())).substr(1) + static_cast<char>(type) +
         static_cast<char>(flags) + Number(stream) + payload;
}

bool Http2Connection::Send(std::string_view bytes) {
  return *stop_ == 0 && SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())) > 0;
}

void Http2Connection::SendForever(const std::string& bytes, std::atomic<std::size_t>& sent) {
  while (Send(bytes)) sent += bytes.size();
}

void Http2Connection::ChangeKeysForever(std::atomic<std::size_t>& changes) {
  while (*stop_ == 0 && SSL_key_update(ssl_, SSL_KEY_UPDATE_NOT_REQUESTED) == 1 && SSL_do_handshake(ssl_) == 1)
    ++changes;
}

bool Http2Connection::ReadExactly(std::size_t size, std::string& bytes) {
  bytes.resize(size);
  for (std::size_t done = 0; done < size;) {
    const int count = SSL_read(ssl_, bytes.data() + done, static_cast<int>(size - done));
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

std::optional<Frame> Http2Connection::Receive() {
  std::string head;
  if (!has_preface_) {
    if (!ReadExactly(kPreface.size(), head) || head != kPreface) return std::nullopt;
    has_preface_ = true;
  }
  if (!ReadExactly(kFrameHead, head)) return std::nullopt;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(head[i])); };
  Frame frame{.type = static_cast<FrameType>(byte(3)),
              .flags = static_cast<std::uint8_t>(byte(4)),
              .stream = byte(5) << 24U | byte(6) << 16U | byte(7) << 8U | byte(8)};
  if (!ReadExactly(byte(0) << 16U | byte(1) << 8U | byte(2), frame.payload)) return std::nullopt;
  return frame;
}

std::optional<std::uint32_t> Http2Connection::AwaitRequest() {
  while (const std::optional<Frame> frame = Receive()) {
    if (frame->type == FrameType::kHeaders) return frame->stream;
    if (frame->type == FrameType::kSettings && (frame->flags & kAck) == 0) {
      if (!Send(Frame{.type = FrameType::kSettings}) || !Send(Frame{.type = FrameType::kSettings, .flags = kAck}))
        break;
    }
  }
  return std::nullopt;
}

bool Http2Connection::Answer(std::uint32_t stream, std::string_view body) {
  return Send(Frame{FrameType::kHeaders, kEndHeaders, stream,
                    std::string(kStatus200) + PlainHeader("content-type", "application/json")}) &&
         Send(Frame{FrameType::kData, kEndStream, stream, std::string(body)});
}

void Http2Connection::AwaitEnd() {
  while (Receive()) {
  }
}

struct Http2Server::Open {
  Fd fd;
  std::thread thread;
};

Http2Server::Http2Server(Script script)
    : context_(SSL_CTX_new(TLS_server_method()), &SSL_CTX_free),
      listener_(ListenOnLoopback()),
      script_(std::move(script)) {
  Use(context_.get(), ca_.IssueServer());
  SSL_CTX_set_alpn_select_cb(context_.get(), &ChooseHttp2, nullptr);
  acceptor_ = std::thread([this] { Accept(); });
}

Http2Server::~Http2Server() {
  stop_ = 1;
  wake_.Set();
  acceptor_.join();
  for (const auto& open : open_) {
    ::shutdown(open->fd.get(), SHUT_RDWR);
    open->thread.join();
  }
}

void Http2Server::Do(Script script) {
  const std::lock_guard lock(mutex_);
  script_ = std::move(script);
}

std::string Http2Server::url() const { return "https://127.0.0.1:" + std::to_string(LocalPort(listener_.get())); }

void Http2Server::Accept() {
  for (;;) {
    std::array<pollfd, 2> fds = {pollfd{.fd = listener_.get(), .events = POLLIN, .revents = 0},
                                 pollfd{.fd = wake_.get(), .events = POLLIN, .revents = 0}};
    ::poll(fds.data(), fds.size(), -1);
    if (stop_ != 0) return;
    Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!fd) continue;
    open_.push_back(std::make_unique<Open>());
    Open& open = *open_.back();
    open.fd = std::move(fd);
    open.thread = std::thread([this, &open] { Serve(open); });
  }
}

void Http2Server::Serve(Open& open) {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  const std::unique_ptr<SSL, void (*)(SSL*)> ssl(SSL_new(context_.get()), &SSL_free);
  SSL_set_fd(ssl.get(), open.fd.get());
  if (SSL_accept(ssl.get()) == 1) {
    ++connections_;
    Script script;
    {
      const std::lock_guard lock(mutex_);
      script = script_;
    }
    Http2Connection connection(ssl.get(), &stop_);
    script(connection);
  }
  ::shutdown(open.fd.get(), SHUT_RDWR);
}

}  // namespace kinformer::testing_support
