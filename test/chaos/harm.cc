#include "test/chaos/harm.h"

#include <algorithm>
#include <utility>

namespace kinformer::chaos {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kCrumb = 7;
constexpr auto kBetweenCrumbs = 1ms;

}  // namespace

std::string_view NameOf(HarmKind kind) {
  switch (kind) {
    case HarmKind::kCut:
      return "cut";
    case HarmKind::kReset:
      return "reset";
    case HarmKind::kTruncate:
      return "truncate";
    case HarmKind::kHalfClose:
      return "half-close";
    case HarmKind::kDrop:
      return "drop";
    case HarmKind::kDuplicate:
      return "duplicate";
    case HarmKind::kFlip:
      return "flip";
    case HarmKind::kStall:
      return "stall";
    case HarmKind::kSilence:
      return "silence";
    case HarmKind::kDelay:
      return "delay";
    case HarmKind::kTrickle:
      return "trickle";
  }
  return "";
}

bool Corrupts(HarmKind kind) {
  return kind == HarmKind::kDrop || kind == HarmKind::kDuplicate || kind == HarmKind::kFlip;
}

std::string ToString(const Harm& harm) {
  std::string text = std::string(NameOf(harm.kind)) + "@" + std::to_string(harm.at);
  if (harm.length != 0) text += "+" + std::to_string(harm.length);
  if (harm.duration != 0ms) text += "," + std::to_string(harm.duration.count()) + "ms";
  return text;
}

void HarmedFlow::Push(std::string_view bytes, SteadyTime now) {
  while (!bytes.empty() && end_ == End::kNone) {
    if (next_ < harms_.size() && harms_[next_].at <= position_) {
      Begin(harms_[next_], now);
      done_.push_back(harms_[next_++]);
      continue;
    }
    // Up to the next position at which a fault begins or ends.
    std::size_t take = bytes.size();
    if (next_ < harms_.size()) take = std::min<std::uint64_t>(take, harms_[next_].at - position_);
    for (const std::size_t* left : {&to_swallow_, &to_duplicate_, &to_delay_, &to_trickle_}) {
      if (*left != 0) take = std::min(take, *left);
    }
    if (flip_) take = 1;
    Emit(bytes.substr(0, take), now);
    bytes.remove_prefix(take);
    position_ += take;
  }
}

void HarmedFlow::Begin(const Harm& harm, SteadyTime now) {
  switch (harm.kind) {
    case HarmKind::kCut:
      end_ = End::kClose;
      break;
    case HarmKind::kReset:
      end_ = End::kReset;
      break;
    case HarmKind::kHalfClose:
      end_ = End::kHalfClose;
      break;
    case HarmKind::kTruncate:
      to_swallow_ = std::max<std::size_t>(harm.length, 1);
      close_when_swallowed_ = true;
      break;
    case HarmKind::kDrop:
      to_swallow_ = std::max<std::size_t>(harm.length, 1);
      break;
    case HarmKind::kDuplicate:
      to_duplicate_ = std::max<std::size_t>(harm.length, 1);
      break;
    case HarmKind::kFlip:
      flip_ = true;
      break;
    case HarmKind::kStall:
      stalled_until_ = std::max(stalled_until_, now + harm.duration);
      break;
    case HarmKind::kSilence:
      silent_ = true;
      break;
    case HarmKind::kDelay:
      to_delay_ = std::max<std::size_t>(harm.length, 1);
      delay_ = harm.duration;
      break;
    case HarmKind::kTrickle:
      to_trickle_ = std::max<std::size_t>(harm.length, 1);
      break;
  }
}

void HarmedFlow::Emit(std::string_view bytes, SteadyTime now) {
  if (to_swallow_ != 0) {
    to_swallow_ -= bytes.size();
    if (to_swallow_ == 0 && close_when_swallowed_) end_ = End::kClose;
    return;
  }
  std::string changed;
  if (flip_) {
    changed = std::string(bytes);
    changed[0] = static_cast<char>(static_cast<unsigned char>(changed[0]) ^ (1U << (position_ % 8)));
    bytes = changed;
    flip_ = false;
  }
  SteadyTime due = now;
  if (to_delay_ != 0) {
    due += delay_;
    to_delay_ -= bytes.size();
  }
  if (to_trickle_ != 0) {
    to_trickle_ -= bytes.size();
    for (std::size_t i = 0; i < bytes.size(); i += kCrumb) {
      Queue(bytes.substr(i, kCrumb), due);
      due += kBetweenCrumbs;
    }
  } else {
    Queue(bytes, due);
  }
  if (to_duplicate_ != 0) {
    duplicate_ += bytes;
    to_duplicate_ -= bytes.size();
    if (to_duplicate_ == 0) Queue(std::exchange(duplicate_, {}), due);
  }
}

void HarmedFlow::Queue(std::string_view bytes, SteadyTime due) {
  due = std::max(due, stalled_until_);
  if (silent_) due = SteadyTime::max();
  // Preserves the order.
  if (!pieces_.empty()) due = std::max(due, pieces_.back().due);
  held_ += bytes.size();
  pieces_.push_back({due, std::string(bytes)});
}

void HarmedFlow::PushEnd() {
  if (end_ == End::kNone) end_ = End::kHalfClose;
}

void HarmedFlow::Calm() {
  next_ = harms_.size();
  silent_ = false;
  stalled_until_ = {};
  to_delay_ = to_trickle_ = 0;
  for (Piece& piece : pieces_) piece.due = {};
}

const HarmedFlow::Piece* HarmedFlow::Due(SteadyTime now) const {
  return !pieces_.empty() && pieces_.front().due <= now ? &pieces_.front() : nullptr;
}

std::optional<SteadyTime> HarmedFlow::NextDue() const {
  if (pieces_.empty() || pieces_.front().due == SteadyTime::max()) return std::nullopt;
  return pieces_.front().due;
}

void HarmedFlow::Sent(std::size_t bytes) {
  held_ -= bytes;
  pieces_.front().bytes.erase(0, bytes);
  if (pieces_.front().bytes.empty()) pieces_.pop_front();
}

std::vector<Harm> HarmedFlow::TakeDone() { return std::exchange(done_, {}); }

}  // namespace kinformer::chaos
