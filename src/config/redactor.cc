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
  return HideKnown(std::move(text));
}

Error Redactor::Hide(Error error) const {
  const MutexLock lock(mutex_);
  for (std::string* text : {&error.message, &error.reason, &error.details.name, &error.details.group,
                            &error.details.kind, &error.details.uid}) {
    *text = HideKnown(std::move(*text));
  }
  for (ErrorCause& cause : error.details.causes) {
    for (std::string* text : {&cause.reason, &cause.message, &cause.field}) *text = HideKnown(std::move(*text));
  }
  return error;
}

std::string Redactor::HideKnown(std::string text) const {
  return HideSecrets(std::move(text), std::vector<std::string_view>(secrets_.begin(), secrets_.end()));
}

}  // namespace kinformer::internal
