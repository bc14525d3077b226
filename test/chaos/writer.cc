#include "test/chaos/writer.h"

#include <chrono>

#include <nlohmann/json.hpp>

#include <kinformer/meta/status_error.h>
#include <kinformer/views/core_v1.h>

namespace kinformer::chaos {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kWriterStream = 1000;
constexpr auto kAnswerWithin = 5s;
constexpr auto kAfterFailure = 30ms;

}  // namespace

Writer::Writer(WriterOptions options, const Client& client, const std::atomic<std::uint64_t>& server_life,
               Violations& violations, Figures& figures)
    : options_(std::move(options)),
      client_(client.For<core::v1::ConfigMap>().Untyped()),
      server_life_(server_life),
      violations_(violations),
      figures_(figures),
      dice_(options_.seed, kWriterStream + static_cast<unsigned char>(options_.name.back())) {
  for (const std::string& space : options_.namespaces) {
    for (std::size_t i = 0; i < options_.names_per_namespace; ++i) {
      const std::string name = options_.name + "-" + std::to_string(i);
      targets_.push_back({space, name, &names_[space + "/" + name]});
    }
  }
}

void Writer::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

void Writer::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    WriteOnce(targets_[dice_.Below(targets_.size())]);
    std::this_thread::sleep_for(std::chrono::microseconds(dice_.Between(0, 8000)));
  }
}

void Writer::StopAndResolve() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  for (const Target& target : targets_) {
    while (!target.ledger->Resolved() && !Resolve(target)) {
      if (std::chrono::steady_clock::now() > deadline) {
        violations_.Report(options_.name + ": the server does not say what became of " + target.name);
        return;
      }
      std::this_thread::sleep_for(kAfterFailure);
    }
  }
}

void Writer::WriteOnce(const Target& target) {
  if (!target.ledger->Resolved() && !Resolve(target)) return;
  if (!target.ledger->there()) return Create(target);
  switch (dice_.Below(8)) {
    case 0:
    case 1:
      return Delete(target);
    case 2:  // Recreates it immediately: a watcher that missed the deletion sees only a new UID.
      Delete(target);
      if (target.ledger->Resolved() && !target.ledger->there()) Create(target);
      return;
    default:
      return Update(target);
  }
}

ObjectPtr Writer::NextContent(const Target& target, const std::optional<State>& base) {
  const std::string sequence = options_.name + "." + std::to_string(++sequence_);
  nlohmann::json json = {{"apiVersion", "v1"},
                         {"kind", "ConfigMap"},
                         {"metadata",
                          {{"namespace", target.namespace_name},
                           {"name", target.name},
                           {"labels", {{"chaos", "true"}, {"tier", dice_.OneIn(2) ? "web" : "db"}}},
                           {"annotations",
                            {{kSequenceAnnotation, sequence},
                             {kSealAnnotation, SealOf(target.namespace_name + "/" + target.name, sequence)}}}}},
                         {"data", {{"sequence", sequence}, {"padding", std::string(dice_.Magnitude(1, 30'000), 'x')}}}};
  if (base) json["metadata"]["resourceVersion"] = std::to_string(base->version);
  return Object::FromJson(json).value();
}

void Writer::Create(const Target& target) {
  Stored(target, client_.Create(*NextContent(target, std::nullopt), {.timeout = kAnswerWithin}), "create");
}

void Writer::Update(const Target& target) {
  Stored(target, client_.Update(*NextContent(target, target.ledger->there()), {.timeout = kAnswerWithin}), "update");
}

void Writer::Stored(const Target& target, const Result<ObjectPtr>& answer, const char* verb) {
  if (!answer) return Failed(target, answer.error(), verb);
  const Fact fact = FactOf(**answer);
  if (!fact.sound) violations_.Report(options_.name + ": the server stored of " + fact.key + " what was not written");
  target.ledger->Acknowledged(fact.state);
  versions_[target.namespace_name].push_back(fact.state.version);
  ++figures_.writes;
}

void Writer::Delete(const Target& target) {
  const auto answer = client_.Delete({target.namespace_name, target.name},
                                     {.uid = target.ledger->there()->uid, .timeout = kAnswerWithin});
  if (!answer) return Failed(target, answer.error(), "delete");
  target.ledger->Acknowledged(std::nullopt);
  ++figures_.writes;
  ++figures_.deletions;
}

void Writer::Failed(const Target& target, const Error& error, const char* verb) {
  const auto report = [&](const char* what) {
    violations_.Report(options_.name + ": " + verb + " of " + target.namespace_name + "/" + target.name + " " + what +
                       ": " + ToString(error));
  };
  if (IsNotFound(error) || IsConflict(error) || IsAlreadyExists(error)) {
    // The server did answer, but only an earlier write in doubt explains the answer.
    if (!target.ledger->InDoubt()) report("was rejected, although there is no other writer");
  } else if (IsBadRequest(error) || IsInvalid(error) || error.code == ErrorCode::kMalformed) {
    report("went wrong");
  } else {
    ++figures_.unanswered;
  }
  target.ledger->Unanswered(server_life_);
  std::this_thread::sleep_for(kAfterFailure);
}

bool Writer::Resolve(const Target& target) {
  const std::uint64_t life = server_life_;
  const auto answer = client_.Get({target.namespace_name, target.name}, {.timeout = kAnswerWithin});
  if (answer) {
    target.ledger->Read(FactOf(**answer).state, life);
    return true;
  }
  if (IsNotFound(answer.error())) {
    target.ledger->Read(std::nullopt, life);
    return true;
  }
  std::this_thread::sleep_for(kAfterFailure);
  return false;
}

}  // namespace kinformer::chaos
