#include "src/apiserver/reviews/reviews.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "src/apiserver/registry/registry_errors.h"
#include "src/apiserver/reviews/review_json.h"
#include "src/listwatch/storage/storage_errors.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

/// The audience of the server's own tokens.
constexpr const char* kAudience = "https://kubernetes.default.svc";

class Review : public CreateOnlyResource {
 public:
  Review(const char* group, const char* resource, ReviewOptions options) : options_(std::move(options)) {
    kind_.resource = {group, "v1", resource};
    kind_.TakeBuiltInFacts();
  }

  const ServedKind& kind() const final { return kind_; }

  Result<json> Create(const UserInfo& user, const std::string& namespace_name, json body) const final {
    if (Result<void> plain = CheckMetadata(kind_, body, namespace_name); !plain) return std::move(plain).error();
    if (Result<void> answered = Answer(user, namespace_name, body); !answered) return std::move(answered).error();
    body["apiVersion"] = kind_.resource.ApiVersion();
    body["kind"] = kind_.kind;
    return body;
  }

 protected:
  /// Sets `status`.
  virtual Result<void> Answer(const UserInfo& user, const std::string& namespace_name, json& body) const = 0;

  const ReviewOptions& options() const { return options_; }

 private:
  const ReviewOptions options_;
  ServedKind kind_;
};

json AccessStatus(const AccessDecision& decision) {
  json status = {{"allowed", decision.allowed}};
  if (!decision.reason.empty()) status["reason"] = decision.reason;
  return status;
}

class SelfSubjectAccessReview : public Review {
 public:
  explicit SelfSubjectAccessReview(const ReviewOptions& options)
      : Review("authorization.k8s.io", "selfsubjectaccessreviews", options) {}

 protected:
  Result<void> Answer(const UserInfo& user, const std::string& /*namespace_name*/, json& body) const override {
    const Result<RequestInfo> asked = ReadAttributes(kind(), body);
    if (!asked) return asked.error();
    body["status"] = AccessStatus(options().authorizer(user, *asked));
    return {};
  }
};

class SubjectAccessReview : public Review {
 public:
  explicit SubjectAccessReview(const ReviewOptions& options)
      : Review("authorization.k8s.io", "subjectaccessreviews", options) {}

 protected:
  Result<void> Answer(const UserInfo& /*user*/, const std::string& /*namespace_name*/, json& body) const override {
    const Result<RequestInfo> asked = ReadAttributes(kind(), body);
    if (!asked) return asked.error();
    const Result<UserInfo> subject = ReadSubject(kind(), body);
    if (!subject) return subject.error();
    body["status"] = AccessStatus(options().authorizer(*subject, *asked));
    return {};
  }
};

class LocalSubjectAccessReview : public Review {
 public:
  explicit LocalSubjectAccessReview(const ReviewOptions& options)
      : Review("authorization.k8s.io", "localsubjectaccessreviews", options) {}

 protected:
  Result<void> Answer(const UserInfo& /*user*/, const std::string& namespace_name, json& body) const override {
    const Result<RequestInfo> asked = ReadAttributes(kind(), body);
    if (!asked) return asked.error();
    const Result<UserInfo> subject = ReadSubject(kind(), body);
    if (!subject) return subject.error();
    if (!asked->is_resource_request) {
      return InvalidReview(kind(),
                           Invalid("spec.nonResourceAttributes", asked->path, "disallowed on this kind of request"));
    }
    if (asked->namespace_name != namespace_name) {
      return InvalidReview(
          kind(), Invalid("spec.resourceAttributes.namespace", asked->namespace_name, "must match metadata.namespace"));
    }
    body["status"] = AccessStatus(options().authorizer(*subject, *asked));
    return {};
  }
};

class SelfSubjectRulesReview : public Review {
 public:
  explicit SelfSubjectRulesReview(const ReviewOptions& options)
      : Review("authorization.k8s.io", "selfsubjectrulesreviews", options) {}

 protected:
  Result<void> Answer(const UserInfo& user, const std::string& /*namespace_name*/, json& body) const override {
    const std::string where = TextAt(body, "/spec/namespace");
    if (where.empty()) return BadRequestError("no namespace on request");
    json status = {{"resourceRules", json::array()}, {"nonResourceRules", json::array()}, {"incomplete", false}};
    if (options().rules) {
      const UserRules rules = options().rules(user, where);
      for (const PolicyRule& rule : rules.rules) AddRule(rule, status);
      if (!rules.error.empty()) status["evaluationError"] = rules.error;
    } else {
      status["incomplete"] = true;
      status["evaluationError"] = "webhook authorizer does not support user rule resolution";
    }
    body["spec"] = json::object();
    body["status"] = std::move(status);
    return {};
  }

 private:
  static void AddRule(const PolicyRule& rule, json& status) {
    if (!rule.resources.empty()) {
      json told = {{"verbs", rule.verbs}, {"apiGroups", rule.api_groups}, {"resources", rule.resources}};
      if (!rule.resource_names.empty()) told["resourceNames"] = rule.resource_names;
      status["resourceRules"].push_back(std::move(told));
    }
    if (!rule.non_resource_urls.empty()) {
      status["nonResourceRules"].push_back({{"verbs", rule.verbs}, {"nonResourceURLs", rule.non_resource_urls}});
    }
  }
};

class TokenReview : public Review {
 public:
  explicit TokenReview(const ReviewOptions& options) : Review("authentication.k8s.io", "tokenreviews", options) {}

 protected:
  Result<void> Answer(const UserInfo& /*user*/, const std::string& /*namespace_name*/, json& body) const override {
    const std::string token = TextAt(body, "/spec/token");
    if (token.empty()) return BadRequestError("token is required for TokenReview in authentication");
    const std::vector<std::string> audiences = TextsAt(body, "/spec/audiences");
    const bool for_us = audiences.empty() || Contains(audiences, kAudience);
    const std::optional<UserInfo> user =
        for_us && options().authenticate ? options().authenticate(token) : std::nullopt;
    json status = {{"user", user ? UserJson(*user) : json::object()}};
    if (user) {
      status["authenticated"] = true;
      status["audiences"] = {kAudience};
    } else if (for_us) {
      status["error"] = "invalid bearer token";
    }
    body["status"] = std::move(status);
    return {};
  }
};

class SelfSubjectReview : public Review {
 public:
  explicit SelfSubjectReview(const ReviewOptions& options)
      : Review("authentication.k8s.io", "selfsubjectreviews", options) {}

 protected:
  Result<void> Answer(const UserInfo& user, const std::string& /*namespace_name*/, json& body) const override {
    body.erase("spec");
    body["status"] = {{"userInfo", UserJson(user)}};
    return {};
  }
};

}  // namespace

std::vector<std::shared_ptr<const CreateOnlyResource>> MakeReviews(const ReviewOptions& options) {
  return {std::make_shared<SelfSubjectReview>(options),        std::make_shared<TokenReview>(options),
          std::make_shared<LocalSubjectAccessReview>(options), std::make_shared<SelfSubjectAccessReview>(options),
          std::make_shared<SelfSubjectRulesReview>(options),   std::make_shared<SubjectAccessReview>(options)};
}

}  // namespace kinformer::apiserver
