#ifndef KINFORMER_SRC_CONFIG_TEXT_H_
#define KINFORMER_SRC_CONFIG_TEXT_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kinformer::internal {

/// Replaces a secret in a message.
inline constexpr std::string_view kRedacted = "[redacted]";

/// True if the text can be an HTTP header value: no control characters except tab.
bool IsHeaderValue(std::string_view text);

/// Makes untrusted text fit for one line of an error or log: control characters become blanks, escape sequences are
/// removed, invalid UTF-8 becomes '?'. Text longer than `limit` bytes is truncated at the beginning or end, and marked
/// with "...".
enum class Keep { kBeginning, kEnd };
std::string OneLine(std::string_view text, std::size_t limit, Keep keep);

/// Replaces every occurrence of each secret with "[redacted]", longer ones first, so that a secret contained in another
/// does not leave the rest of the longer one behind. Empty secrets are ignored.
std::string HideSecrets(std::string text, std::span<const std::string_view> secrets);

/// HideSecrets, and replaces anything that looks like a token (long unbroken runs, JWTs).
std::string Redact(std::string text, std::span<const std::string> secrets);

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_CONFIG_TEXT_H_
