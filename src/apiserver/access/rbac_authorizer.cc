#include "src/apiserver/access/rbac_authorizer.h"

#include <algorithm>
#include <utility>

namespace kinformer::apiserver {
namespace {

constexpr std::array<std::string_view, 4> kResources = {"roles", "clusterroles", "rolebindings", "clusterrolebindings"};

/// A list's version also changes with writes to other resources, so the objects are compared.
bool SameObjects(const RbacList& a, const RbacList& b) {
  return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                    [](const ObjectPtr& x, const ObjectPtr& y) {
                      return x == y || (x->Uid() == y->Uid() && x->ResourceVersion() == y->ResourceVersion());
                    });
}

}  // namespace

RbacAuthorizer::RbacAuthorizer(RbacLister lister) : lister_(std::move(lister)) {}

std::shared_ptr<const RbacAuthorizer::Compiled> RbacAuthorizer::Current() const {
  const MutexLock lock(mutex_);
  return current_;
}

std::uint64_t RbacAuthorizer::Compilations() const {
  const MutexLock lock(mutex_);
  return compilations_;
}

Result<std::shared_ptr<const RbacPolicy>> RbacAuthorizer::Policy() {
  auto made = std::make_shared<Compiled>();
  {
    const MutexLock lock(mutex_);
    made->ticket = ++tickets_;
  }
  for (std::size_t i = 0; i < kResources.size(); ++i) {
    Result<RbacList> list = lister_(kResources[i]);
    if (!list) return std::move(list).error();
    made->lists[i] = *std::move(list);
  }
  if (const auto current = Current();
      current != nullptr && std::equal(made->lists.begin(), made->lists.end(), current->lists.begin(), SameObjects)) {
    return current->policy;
  }
  made->policy = std::make_shared<RbacPolicy>(RbacObjects{.roles = made->lists[0].items,
                                                          .cluster_roles = made->lists[1].items,
                                                          .role_bindings = made->lists[2].items,
                                                          .cluster_role_bindings = made->lists[3].items});
  std::shared_ptr<const Compiled> before;  // destroyed without the lock
  const MutexLock lock(mutex_);
  ++compilations_;
  // Of concurrent compilations the one that started last wins. If its lists were older after all, the next call
  // recompiles.
  if (current_ == nullptr || current_->ticket < made->ticket) {
    before = std::exchange(current_, made);
  }
  return made->policy;
}

AccessDecision RbacAuthorizer::Check(const UserInfo& user, const RequestInfo& request) {
  if (user.InGroup(kMastersGroup)) return {.allowed = true};
  const Result<std::shared_ptr<const RbacPolicy>> policy = Policy();
  if (policy) return (*policy)->Check(user, request);
  if (const auto current = Current()) return current->policy->Check(user, request);
  return {.allowed = false, .reason = "RBAC: " + policy.error().message};
}

}  // namespace kinformer::apiserver
