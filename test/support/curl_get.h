#ifndef KINFORMER_TEST_SUPPORT_CURL_GET_H_
#define KINFORMER_TEST_SUPPORT_CURL_GET_H_

#include <curl/curl.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kinformer::testing_support {

/// A single request with plain libcurl, for testing the servers in this folder.
struct CurlOptions {
  std::string method = "GET";
  std::string body = {};
  std::vector<std::string> headers = {};
  std::string ca_pem = {};
  std::string client_cert_pem = {};
  std::string client_key_pem = {};
  long http_version = CURL_HTTP_VERSION_1_1;
  long timeout_ms = 20'000;
  /// Called after each piece of the body; returning false aborts the transfer.
  std::function<bool(const std::string& body_so_far)> on_data = {};
};

struct CurlResult {
  CURLcode code = CURLE_OK;
  long status = 0;
  long http_version = 0;
  std::string body;
};

/// A libcurl handle that reuses its connection across requests.
class CurlClient {
 public:
  CurlClient() : handle_(curl_easy_init()) {}
  ~CurlClient() { curl_easy_cleanup(handle_); }
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  CurlResult Request(const std::string& url, const CurlOptions& options = {}) {
    curl_easy_reset(handle_);
    Context context{{}, options};
    curl_slist* list = nullptr;
    for (const std::string& line : options.headers) list = curl_slist_append(list, line.c_str());
    curl_easy_setopt(handle_, CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle_, CURLOPT_PROXY, "");
    curl_easy_setopt(handle_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle_, CURLOPT_CUSTOMREQUEST, options.method.c_str());
    curl_easy_setopt(handle_, CURLOPT_HTTP_VERSION, options.http_version);
    curl_easy_setopt(handle_, CURLOPT_TIMEOUT_MS, options.timeout_ms);
    curl_easy_setopt(handle_, CURLOPT_HTTPHEADER, list);
    if (!options.body.empty()) {
      curl_easy_setopt(handle_, CURLOPT_POSTFIELDSIZE, static_cast<long>(options.body.size()));
      curl_easy_setopt(handle_, CURLOPT_POSTFIELDS, options.body.c_str());
    }
    SetBlob(CURLOPT_CAINFO_BLOB, options.ca_pem);
    SetBlob(CURLOPT_SSLCERT_BLOB, options.client_cert_pem);
    SetBlob(CURLOPT_SSLKEY_BLOB, options.client_key_pem);
    curl_easy_setopt(handle_, CURLOPT_WRITEFUNCTION, &CurlClient::OnData);
    curl_easy_setopt(handle_, CURLOPT_WRITEDATA, &context);
    context.result.code = curl_easy_perform(handle_);
    curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &context.result.status);
    curl_easy_getinfo(handle_, CURLINFO_HTTP_VERSION, &context.result.http_version);
    curl_slist_free_all(list);
    return std::move(context.result);
  }

 private:
  struct Context {
    CurlResult result;
    const CurlOptions& options;
  };

  static std::size_t OnData(char* data, std::size_t, std::size_t size, void* user) {
    auto* context = static_cast<Context*>(user);
    context->result.body.append(data, size);
    return context->options.on_data && !context->options.on_data(context->result.body) ? 0 : size;
  }

  void SetBlob(CURLoption option, const std::string& pem) {
    if (pem.empty()) return;
    curl_blob blob{const_cast<char*>(pem.data()), pem.size(), CURL_BLOB_COPY};
    curl_easy_setopt(handle_, option, &blob);
  }

  CURL* handle_;
};

inline CurlResult CurlGet(const std::string& url, const CurlOptions& options = {}) {
  return CurlClient().Request(url, options);
}

}  // namespace kinformer::testing_support

#endif  // KINFORMER_TEST_SUPPORT_CURL_GET_H_
