#include "src/config/redactor.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/base/base64.h"
#include "src/config/text.h"

namespace kinformer::internal {
namespace {

constexpr std::size_t kRemembered = 8;
/// Shorter strings occur in any text by chance.
constexpr std::size_t kShortest = 4;

void Replace(std::string& text, std::string_view secret) {
  for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos; at += kRedacted.size()) {
    text.replace(at, secret.size(), kRedacted);
  }
}

}  // namespace

void Redactor::Remember(std::string secret) {
  if (secret.size() < kShortest) return;
  if (std::find(secrets_.begin(), secrets_.end(), secret) != secrets_.end()) return;
  secrets_.push_back(std::move(secret));
  if (secrets_.size() > kRemembered) secrets_.pop_front();
}

void Redactor::Learn(const std::vector<Header>& headers) {
  const std::optional<std::string_view> value = FindHeader(headers, "Authorization");
  if (!value) return;
  const std::size_t blank = value->find(' ');
  const std::string_view credential = blank == std::string_view::npos ? *value : value->substr(blank + 1);
  const MutexLock lock(mutex_);
  if (!secrets_.empty() && secrets_.back() == credential) return;
  if (value->substr(0, blank) == "Basic") {
    const Result<std::string> decoded = DecodeBase64(credential);
    const std::size_t colon = decoded ? decoded->find(':') : std::string::npos;
    if (colon != std::string::npos) Remember(decoded->substr(colon + 1));
  }
  Remember(std::string(credential));
}

std::string Redactor::Hide(std::string text) const {
  const MutexLock lock(mutex_);
  for (const std::string& secret : secrets_) Replace(text, secret);
  return text;
}

Error Redactor::Hide(Error error) const {
  const MutexLock lock(mutex_);
  for (const std::string& secret : secrets_) {
    for (std::string* text : {&error.message, &error.reason, &error.details.name, &error.details.group,
                              &error.details.kind, &error.details.uid}) {
      Replace(*text, secret);
    }
    for (ErrorCause& cause : error.details.causes) {
      for (std::string* text : {&cause.reason, &cause.message, &cause.field}) Replace(*text, secret);
    }
  }
  return error;
}

}  // namespace kinformer::internal
