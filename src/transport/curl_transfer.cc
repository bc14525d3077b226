#include "src/transport/curl_transfer.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "src/base/text.h"

namespace kinformer::internal {
namespace {

bool HasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

curl_slist* Append(curl_slist* list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list, line.c_str());
  return longer == nullptr ? list : longer;
}

template <typename Value>
void Set(CURL* handle, CURLoption option, Value value) {
  curl_easy_setopt(handle, option, value);
}

void SetBlob(CURL* handle, CURLoption option, const std::string& pem) {
  curl_blob blob{};
  blob.data = const_cast<char*>(pem.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast): copied by libcurl
  blob.len = pem.size();
  blob.flags = CURL_BLOB_COPY;
  curl_easy_setopt(handle, option, &blob);
}

/// Digits only. libcurl also accepts a sign, and ignores a length that is too large or followed by text; the peer and
/// we would then disagree on where the response ends.
bool IsLength(std::string_view text) {
  constexpr std::size_t kMaxDigits = 18;
  return !text.empty() && text.size() <= kMaxDigits &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

constexpr std::string_view kHeaderLineSpace = " \t\r\n";

// TCP keep-alive, in seconds: the first probe after this much silence, then one per interval. The connection is closed
// after this many unanswered probes; libcurl before 8.9 cannot set their number, and the system's default applies.
constexpr long kKeepAliveIdle = 30;
constexpr long kKeepAliveInterval = 15;
#if LIBCURL_VERSION_NUM >= 0x080900
constexpr long kKeepAliveProbes = 3;
#endif
// Lists arrive fast and benefit from large reads. Watches are many and mostly quiet, but one that streams a list or a
// burst of events is as fast as a list; the part of a buffer that is never filled takes no memory.
constexpr long kListBuffer = 128L << 10;
constexpr long kWatchBuffer = 64L << 10;

}  // namespace

Result<void> CheckRequest(const Request& request) {
  const auto bad = [](std::string_view what) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .message = std::string(what) + " is invalid or contains a control character"};
  };
  if (request.method.empty() ||
      !std::all_of(request.method.begin(), request.method.end(), [](char c) { return c >= 'A' && c <= 'Z'; })) {
    return bad("the request method");
  }
  if (request.target.empty() || request.target.front() != '/' || HasControlCharacter(request.target) ||
      request.target.find(' ') != std::string::npos) {
    return bad("the request path");
  }
  for (const Header& header : request.headers) {
    if (header.first.empty() || HasControlCharacter(header.first) ||
        header.first.find_first_of(": ") != std::string::npos) {
      return bad("a request header's name");
    }
    // The header is named, but its value is not shown: it may be a credential.
    if (HasControlCharacter(header.second)) return bad("the request header " + header.first);
  }
  return {};
}

CurlTransfer::CurlTransfer(Request request, const Endpoint& endpoint, const CurlTransportOptions& options,
                           std::shared_ptr<Exchange> exchange)
    : request_(std::move(request)),
      exchange_(std::move(exchange)),
      server_(endpoint.Authority()),
      max_header_bytes_(options.max_header_bytes),
      connect_timeout_(options.connect_timeout),
      handle_(session_.GetCurlHolder()->handle) {
  Configure(endpoint, options);
}

CurlTransfer::~CurlTransfer() {
  curl_slist_free_all(headers_);
  curl_slist_free_all(connect_to_);
}

CurlTransfer& CurlTransfer::Of(CURL* handle) {
  char* pointer = nullptr;
  curl_easy_getinfo(handle, CURLINFO_PRIVATE, &pointer);
  return *reinterpret_cast<CurlTransfer*>(pointer);
}

void CurlTransfer::Configure(const Endpoint& endpoint, const CurlTransportOptions& options) {
  const bool own_name = request_.tls && !request_.tls->server_name.empty() && endpoint.IsTls();
  const std::string url_host = own_name ? request_.tls->server_name : endpoint.host;
  session_.SetUrl(
      cpr::Url{endpoint.scheme + "://" + url_host + ":" + endpoint.port + endpoint.prefix + request_.target});
  if (!request_.body.empty()) session_.SetBody(cpr::Body{request_.body});
  if (request_.method == "GET") {
    session_.PrepareGet();
  } else if (request_.method == "POST") {
    session_.PreparePost();
  } else if (request_.method == "PUT") {
    session_.PreparePut();
  } else if (request_.method == "PATCH") {
    session_.PreparePatch();
  } else if (request_.method == "HEAD") {
    session_.PrepareHead();
  } else if (request_.method == "OPTIONS") {
    session_.PrepareOptions();
  } else {
    session_.PrepareDelete();
    Set(handle_, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  }

  // Our own list: cpr's header map keeps one value per name, and Impersonate-Group may occur several times.
  bool gzip = false;
  for (const Header& header : request_.headers) {
    if (FindHeader({header}, "Accept-Encoding")) {
      gzip = header.second.find("gzip") != std::string::npos;
      continue;
    }
    headers_ = Append(headers_, header.second.empty() ? header.first + ";" : header.first + ": " + header.second);
  }
  headers_ = Append(headers_, "Expect:");
  if (!request_.body.empty() && !FindHeader(request_.headers, "Content-Type")) {
    headers_ = Append(headers_, "Content-Type: application/json");
  }
  if (own_name) {
    headers_ = Append(headers_, "Host: " + endpoint.Authority());
    connect_to_ = Append(connect_to_, "::" + endpoint.Authority());
    Set(handle_, CURLOPT_CONNECT_TO, connect_to_);
  }
  Set(handle_, CURLOPT_HTTPHEADER, headers_);
  Set(handle_, CURLOPT_ACCEPT_ENCODING, gzip ? "gzip" : static_cast<const char*>(nullptr));
  Set(handle_, CURLOPT_USERAGENT, options.user_agent.c_str());

  Set(handle_, CURLOPT_NOSIGNAL, 1L);
  Set(handle_, CURLOPT_QUICK_EXIT, 1L);
  Set(handle_, CURLOPT_FOLLOWLOCATION, 0L);
  Set(handle_, CURLOPT_PROTOCOLS_STR, "http,https");
  Set(handle_, CURLOPT_PATH_AS_IS, 1L);
  Set(handle_, CURLOPT_COOKIEFILE, static_cast<const char*>(nullptr));
  Set(handle_, CURLOPT_CERTINFO, 0L);
  Set(handle_, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  Set(handle_, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  Set(handle_, CURLOPT_HTTP_VERSION,
      static_cast<long>(endpoint.IsTls() ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  // Wait for a connection that may turn out to be HTTP/2 rather than opening one per request.
  Set(handle_, CURLOPT_PIPEWAIT, endpoint.IsTls() ? 1L : 0L);
  Set(handle_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_timeout_.count()));
  Set(handle_, CURLOPT_DNS_CACHE_TIMEOUT, static_cast<long>(options.dns_cache.count()));
  Set(handle_, CURLOPT_TCP_KEEPALIVE, 1L);
  Set(handle_, CURLOPT_TCP_KEEPIDLE, kKeepAliveIdle);
  Set(handle_, CURLOPT_TCP_KEEPINTVL, kKeepAliveInterval);
#if LIBCURL_VERSION_NUM >= 0x080900
  Set(handle_, CURLOPT_TCP_KEEPCNT, kKeepAliveProbes);
#endif
  Set(handle_, CURLOPT_BUFFERSIZE, request_.resumable ? kWatchBuffer : kListBuffer);
  if (!options.proxy_url.empty()) {
    Set(handle_, CURLOPT_PROXY, options.proxy_url.c_str());
    Set(handle_, CURLOPT_NOPROXY, "");
  } else if (endpoint.IsLoopback()) {
    Set(handle_, CURLOPT_PROXY, "");
  }
  if (endpoint.IsTls()) ConfigureTls(options);

  Set(handle_, CURLOPT_HEADERFUNCTION, &CurlTransfer::HeaderCallback);
  Set(handle_, CURLOPT_HEADERDATA, static_cast<void*>(this));
  Set(handle_, CURLOPT_WRITEFUNCTION, &CurlTransfer::WriteCallback);
  Set(handle_, CURLOPT_WRITEDATA, static_cast<void*>(this));
  Set(handle_, CURLOPT_PREREQFUNCTION, &CurlTransfer::PrerequestCallback);
  Set(handle_, CURLOPT_PREREQDATA, static_cast<void*>(this));
  Set(handle_, CURLOPT_PRIVATE, static_cast<void*>(this));
}

void CurlTransfer::ConfigureTls(const CurlTransportOptions& options) {
  Set(handle_, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!options.system_roots_file.empty()) {
    Set(handle_, CURLOPT_CAINFO, options.system_roots_file.c_str());
    Set(handle_, CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  if (!request_.tls) return;
  const TlsMaterial& tls = *request_.tls;
  if (tls.insecure_skip_tls_verify) {
    Set(handle_, CURLOPT_SSL_VERIFYPEER, 0L);
    Set(handle_, CURLOPT_SSL_VERIFYHOST, 0L);
  } else if (!tls.ca_pem.empty()) {
    // The configured CA replaces the system's CAs: cleared, or libcurl would trust both.
    Set(handle_, CURLOPT_CAINFO, static_cast<const char*>(nullptr));
    Set(handle_, CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    SetBlob(handle_, CURLOPT_CAINFO_BLOB, tls.ca_pem);
  }
  if (!tls.client_certificate_pem.empty()) {
    Set(handle_, CURLOPT_SSLCERTTYPE, "PEM");
    Set(handle_, CURLOPT_SSLKEYTYPE, "PEM");
    SetBlob(handle_, CURLOPT_SSLCERT_BLOB, tls.client_certificate_pem);
    SetBlob(handle_, CURLOPT_SSLKEY_BLOB, tls.client_key_pem.Reveal());
  }
}

void CurlTransfer::Begin(TransferObserver& observer, TimePoint now) {
  observer_ = &observer;
  begun_ = now;
  last_byte = now;
}

void CurlTransfer::Continue() {
  paused = false;
  curl_easy_pause(handle_, CURLPAUSE_CONT);
}

std::optional<TimePoint> CurlTransfer::Deadline() const {
  std::optional<TimePoint> deadline;
  if (request_.timeout.count() > 0) deadline = SaturatingAdd(begun_, request_.timeout);
  if (request_.idle_timeout.count() > 0 && !paused) {
    const TimePoint idle = SaturatingAdd(last_byte, request_.idle_timeout);
    if (!deadline || idle < *deadline) deadline = idle;
  }
  return deadline;
}

Error CurlTransfer::DeadlineError() const {
  const bool whole = request_.timeout.count() > 0 && Deadline() == SaturatingAdd(begun_, request_.timeout);
  return Error{.code = ErrorCode::kDeadlineExceeded,
               .message = (whole ? "no complete response from " : "no data from ") + server_ +
                          (whole ? " within " : " for ") +
                          std::to_string((whole ? request_.timeout : request_.idle_timeout).count()) + " ms"};
}

void CurlTransfer::Finish(CURLcode code, const std::optional<Error>& lost) {
  if (code == CURLE_OK) {
    exchange_->Finish({});
  } else {
    exchange_->Finish(lost ? *lost : ErrorOf(code));
  }
}

Error CurlTransfer::ErrorOf(CURLcode code) {
  if (bad_length_) {
    return Error{.code = ErrorCode::kMalformed,
                 .message = "invalid HTTP response from " + server_ + ": invalid or conflicting Content-Length"};
  }
  // An endless header line never reaches us: libcurl gives up on it, with this code.
  if (header_overflow_ || (code == CURLE_OUT_OF_MEMORY && !head_done_)) {
    return Error{
        .code = ErrorCode::kTooLarge,
        .message = "the response headers of " + server_ + " exceed " + std::to_string(max_header_bytes_) + " bytes"};
  }
  // The other limit that libcurl reports with this code: on decompressed data that a slow reader has not taken.
  if (code == CURLE_OUT_OF_MEMORY) {
    return Error{.code = ErrorCode::kTooLarge,
                 .message = "the compressed response from " + server_ + " expands beyond the buffer limit"};
  }
  std::string text = session_.GetCurlHolder()->error.data();
  if (text.empty()) text = curl_easy_strerror(code);
  const auto error = [&](ErrorCode kind, const std::string& what, const std::string& outcome = "") {
    return Error{.code = kind, .message = what + " " + server_ + outcome + ": " + text};
  };
  if (code == CURLE_COULDNT_CONNECT) {
    // libcurl's text is just "Couldn't connect to server"; the errno (refused, no route) is more useful.
    long reason = 0;  // NOLINT(google-runtime-int): libcurl's own type
    if (curl_easy_getinfo(handle_, CURLINFO_OS_ERRNO, &reason) == CURLE_OK && reason != 0) {
      text = std::generic_category().message(static_cast<int>(reason));
    }
  }
  switch (code) {
    case CURLE_COULDNT_CONNECT:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_PROXY:
    // The connect timeout is the only timeout that libcurl applies.
    case CURLE_OPERATION_TIMEDOUT:
      return error(ErrorCode::kUnreachable, "cannot connect to");
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CLIENTCERT:
      return error(ErrorCode::kTls, "TLS handshake with", " failed");
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return error(ErrorCode::kDisconnected, "connection lost to");
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return error(ErrorCode::kMalformed, "invalid HTTP response from");
    default:
      return error(ErrorCode::kInternal, "request to", " failed");
  }
}

std::size_t CurlTransfer::OnHeaderLine(std::string_view line) {
  observer_->OnBytes(*this);
  header_bytes_ += line.size();
  if (header_bytes_ > max_header_bytes_) {
    header_overflow_ = true;
    return 0;
  }
  if (head_done_) return line.size();  // trailers
  if (line.starts_with("HTTP/")) {
    head_ = {};
    observer_->OnHead(line.starts_with("HTTP/1"));
    const std::size_t space = line.find(' ');
    for (std::size_t i = space + 1; space != std::string_view::npos && i < line.size() && i <= space + 3; ++i) {
      if (line[i] < '0' || line[i] > '9') break;
      head_.status = head_.status * 10 + (line[i] - '0');
    }
    return line.size();
  }
  if (Trim(line, kHeaderLineSpace).empty()) {
    if (head_.status >= 200) {
      head_done_ = true;
      exchange_->PushHead(std::move(head_));
    }
    return line.size();
  }
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos &&
      !TakeHeader(Trim(line.substr(0, colon), kHeaderLineSpace), Trim(line.substr(colon + 1), kHeaderLineSpace))) {
    return 0;
  }
  return line.size();
}

bool CurlTransfer::TakeHeader(std::string_view name, std::string_view value) {
  Header header(name, value);
  if (FindHeader({header}, "Content-Length")) {
    const std::optional<std::string_view> before = FindHeader(head_.headers, "Content-Length");
    bad_length_ = !IsLength(value) || (before && *before != value);
    if (bad_length_) return false;
  }
  head_.headers.push_back(std::move(header));
  return true;
}

std::size_t CurlTransfer::OnBody(std::string_view bytes) {
  observer_->OnBytes(*this);
  if (exchange_->PushBody(bytes)) return bytes.size();
  paused = true;
  observer_->OnPaused(*this);
  return CURL_WRITEFUNC_PAUSE;
}

std::size_t CurlTransfer::HeaderCallback(char* data, std::size_t size, std::size_t count, void* self) {
  return static_cast<CurlTransfer*>(self)->OnHeaderLine({data, size * count});
}

std::size_t CurlTransfer::WriteCallback(char* data, std::size_t size, std::size_t count, void* self) {
  return static_cast<CurlTransfer*>(self)->OnBody({data, size * count});
}

int CurlTransfer::PrerequestCallback(void* self, char*, char*, int, int local_port) {
  auto* transfer = static_cast<CurlTransfer*>(self);
  transfer->observer_->OnConnection(*transfer, local_port);
  return CURL_PREREQFUNC_OK;
}

}  // namespace kinformer::internal
