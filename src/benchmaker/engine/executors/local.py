"""In this process, as tasks of one event loop."""

from benchmaker.engine.executors.base import ActiveJob, ExecutorJob
from benchmaker.engine.requests.replay import Replay
from benchmaker.engine.requests.request_loop import LiveRequests
from benchmaker.engine.trials.question import models_of


class Local:
    """The executor without requirements."""

    def begin(self, job: ExecutorJob) -> ActiveJob:
        """Start the job: recorded answers are looked up, live models are queried."""
        if not job.is_live:
            return Replay(
                job.plan,
                job.provider,
                keeper=job.keeper,
                questions=job.questions,
                meter=job.meter,
                limits=job.limits,
                clock=job.clock,
            )
        return LiveRequests(
            job.plan,
            job.provider,
            job.run.models,
            keeper=job.keeper,
            questions=job.questions,
            meter=job.meter,
            limits=job.limits,
            clock=job.clock,
            random=job.random,
            limiters=job.limiters,
            budget=job.budget,
            cache=job.cache,
            stream=job.options.stream,
            sharing=models_of(job.run),
        )
