#include "src/apiserver/access/authenticator.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/base/text.h"

namespace kinformer::apiserver {
namespace {

UserInfo Authenticated(UserInfo user) {
  if (!user.InGroup(kAuthenticatedGroup)) user.groups.emplace_back(kAuthenticatedGroup);
  return user;
}

/// The bearer token of the Authorization header; empty if there is none.
std::string_view BearerToken(const HttpRequest& request) {
  const std::string* header = request.FindHeader("Authorization");
  if (header == nullptr) return {};
  std::string_view text = *header;
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos || !internal::EqualsIgnoringCase(text.substr(0, blank), "bearer")) return {};
  text.remove_prefix(blank);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

Error UnauthorizedError() {
  return {.code = ErrorCode::kServer, .message = "Unauthorized", .http_status = 401, .reason = "Unauthorized"};
}

Authenticator::Digest Authenticator::DigestOf(std::string_view token) {
  Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  return digest;
}

Authenticator::Authenticator(const std::vector<StaticToken>& tokens) {
  for (const StaticToken& token : tokens) {
    if (!token.token.empty()) known_.push_back({DigestOf(token.token), Authenticated(token.user)});
  }
}

Result<UserInfo> Authenticator::Authenticate(const HttpRequest& request) const {
  if (const auto& certificate = request.peer.certificate; certificate && !certificate->common_name.empty()) {
    return Authenticated({.name = certificate->common_name, .groups = certificate->organizations});
  }
  std::optional<UserInfo> user = AuthenticateToken(BearerToken(request));
  if (!user) return UnauthorizedError();
  return *std::move(user);
}

std::optional<UserInfo> Authenticator::AuthenticateToken(std::string_view token) const {
  if (token.empty()) return std::nullopt;
  const Digest digest = DigestOf(token);
  // Constant time: every digest is compared in full, regardless of matches.
  const UserInfo* user = nullptr;
  for (const Known& known : known_) {
    if (CRYPTO_memcmp(known.digest.data(), digest.data(), digest.size()) == 0) user = &known.user;
  }
  if (user == nullptr) return std::nullopt;
  return *user;
}

bool Authenticator::HasCredentials(const HttpRequest& request) {
  return request.FindHeader("Authorization") != nullptr || request.peer.certificate.has_value() ||
         !request.peer.certificate_error.empty();
}

}  // namespace kinformer::apiserver
