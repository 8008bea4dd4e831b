"""Jobs that are done at once."""

from procrastinate.jobs import DeleteJobCondition

from app.base.jobs.worker import Worker


def run_due(worker: Worker) -> None:
    """Do the jobs that are due, and return."""

    async def work_off() -> None:
        app = worker._app()
        async with app.open_async():
            await app.run_worker_async(
                queues=sorted({work.kind.lane for work in worker._works}),
                wait=False,
                listen_notify=False,
                install_signal_handlers=False,
                delete_jobs=DeleteJobCondition.ALWAYS,
            )

    worker._run(work_off())
